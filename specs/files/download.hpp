#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "specs/files/file_spec.hpp"

namespace tandem::specs {

/// Between two pieces of a download; `total` if the server says it.
struct DownloadProgress {
  std::string file;
  std::uint64_t done = 0;
  std::optional<std::uint64_t> total;
};
using ShowDownload = std::function<void(const DownloadProgress&)>;

struct DownloadRequest {
  std::string url;             ///< http or https
  std::filesystem::path part;  ///< where it goes; a beginning of it that lies there is continued
  std::string name;            ///< as progress and sentences call it
  std::chrono::seconds stall{30};
  int tries = 3;
};

struct Downloaded {
  enum class Origin {
    one_answer,
    several_answers  ///< a beginning was continued, which rests on the server's word that nothing changed
  };
  Origin origin = Origin::one_answer;
};

/// Brings all of one URL to `part`, which is left for a later try if that fails; PART.from says whose
/// beginning it is.
///
/// Follows at most ten redirects. What may pass is tried again after a short pause: a server's error, a
/// connection that breaks or brings nothing for `stall`; other answers are not. Proxies come from the
/// environment as curl takes them, certificates from SSL_CERT_FILE if that is set. `show` is called in this
/// thread. A stop is heard within a second.
[[nodiscard]] std::variant<Downloaded, FileFailure> download(const DownloadRequest& request,
                                                             const ShowDownload& show,
                                                             const std::stop_token& stop);

/// Names a version of a file for If-Range: a strong ETag, or else Last-Modified; empty if there is neither.
[[nodiscard]] std::string validator_of(const std::string& etag, const std::string& last_modified);

/// Where a part begins in the file, and how long the file is. Servers may say anything: what cannot be read
/// counts as not said.
struct ContentRange {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> total;
};
[[nodiscard]] ContentRange content_range_of(std::string_view value);

/// What a download does after an answer without the file.
enum class AfterAnswer {
  redirect,
  begin_anew,  ///< there is no such range of the file
  try_again,   ///< the server has a bad moment
  give_up
};
[[nodiscard]] AfterAnswer after_answer(int status);

}  // namespace tandem::specs
