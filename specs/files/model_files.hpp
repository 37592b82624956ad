#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>

#include "specs/files/download.hpp"
#include "specs/files/file_spec.hpp"

namespace tandem::specs {

struct ModelFileSettings {
  std::filesystem::path cache;           ///< FORMAT/MODEL/FILENAME lie below it
  std::filesystem::path root_model_dir;  ///< what "//" in a location means; empty: such a location is wrong
  std::chrono::seconds stall{30};        ///< a download that brings nothing for this long has failed
  int tries = 3;                         ///< of one download, each going on where the last one ended
};

/// Brings one file that is read to this machine and checks it, and returns where it lies.
///
/// Downloads and files from elsewhere go through the cache, streamed to disk beside their place and put there
/// by rename once their digests are right. A cached file that is damaged is fetched again; processes that
/// want the same file wait for one download. A spec is never changed. Files without a digest are taken as
/// they are; a download without one is kept until the cache is cleared.
[[nodiscard]] std::variant<std::filesystem::path, FileFailure> provide_file(
    const FileSpec& file, const std::string& format, const std::string& model,
    const ModelFileSettings& settings, const ShowDownload& show, const std::stop_token& stop);

}  // namespace tandem::specs
