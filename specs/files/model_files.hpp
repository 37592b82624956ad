#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "specs/files/file_spec.hpp"

namespace tandem::specs {

/// Why a file cannot be had. `what` is a whole sentence with the file's name and what to do.
struct FileFailure {
  enum class Reason {
    wrong,       ///< the spec or its file: a mismatch, a path that leaves its root, nothing at a local path
    unavailable  ///< the outside: network, server, disk; a later try may succeed
  };
  Reason reason = Reason::wrong;
  std::string what;
};

struct ModelFileSettings {
  std::filesystem::path cache;           ///< FORMAT/MODEL/FILENAME lie below it
  std::filesystem::path root_model_dir;  ///< what "//" in a location means; empty: such a location is wrong
  std::chrono::seconds stall{30};        ///< a download that brings nothing for this long has failed
  int tries = 3;                         ///< of one download, each going on where the last one ended
};

/// Between two pieces of a download; `total` if the server says it.
struct DownloadProgress {
  std::string file;
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total;
};
using ShowDownload = std::function<void(const DownloadProgress&)>;

/// Brings one file that is read to this machine and checks it, and returns where it lies.
///
/// Downloads and files from elsewhere go through the cache, streamed to disk beside their place and put there
/// by rename once their digests are right. A cached file that is damaged is fetched again; processes that
/// want the same file wait for one download. A spec is never changed. Files without a digest are taken as
/// they are; a download without one is kept until the cache is cleared.
[[nodiscard]] std::variant<std::filesystem::path, FileFailure> provide_file(
    const FileSpec& file, const std::string& format, const std::string& model,
    const ModelFileSettings& settings, const ShowDownload& show, const std::stop_token& stop);

/// A location that has to be downloaded.
struct RemoteLocation {
  std::string url;
};

/// A file or folder of this host that is there.
struct LocalLocation {
  std::filesystem::path path;
};

/// Where a file lies: http and https are remote, everything else is looked for on this host. What begins with
/// "//" stays under `root_model_dir`, whatever "..", and symbolic links in it say. A folder must not be one
/// that the spec lies in.
[[nodiscard]] std::variant<RemoteLocation, LocalLocation, FileFailure> locate(
    const FileSpec& file, const std::filesystem::path& root_model_dir);

/// Where a downloaded file has its place, FORMAT/MODEL/FILENAME under `cache`; a part that is no plain name
/// is refused.
[[nodiscard]] std::variant<std::filesystem::path, FileFailure> place_in_cache(
    const std::filesystem::path& cache, const std::string& format, const std::string& model,
    const std::string& filename);

}  // namespace tandem::specs
