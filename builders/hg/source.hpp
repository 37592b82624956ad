#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "builders/source.hpp"

namespace tandem::builders {

/// As `resolve_source`, for Mercurial. A clone's `default` path is its remote: "origin" and "default" both
/// name it. URLs are http, https, ssh or file. Throws InputError also if hg is not installed.
[[nodiscard]] Source resolve_hg_source(const SourceRequest& request);

namespace hg {

/// The settings with which hg reaches a source that is a URL, under the name `source`. They go into a file
/// that only its owner can read: neither URL nor password is ever an argument.
struct Access {
  std::string settings;
  std::vector<std::string> secrets;  ///< never to be shown
};
[[nodiscard]] Access access_of(const Source& source);

/// Empty for a source that is not on this file system.
[[nodiscard]] std::filesystem::path local_path_of(const std::string& url);

}  // namespace hg
}  // namespace tandem::builders
