#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "specs/file_spec.hpp"
#include "specs/model_files.hpp"

namespace tandem::specs {

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
