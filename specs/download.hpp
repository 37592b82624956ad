#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>

#include "specs/model_files.hpp"

namespace tandem::specs {

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

/// Brings all of one URL to `part`, which is left for a later try if that fails.
///
/// Follows at most ten redirects. What may pass is tried again after a short pause: a server's error, a
/// connection that breaks or brings nothing for `stall`; other answers are not. Proxies come from the
/// environment as curl takes them, certificates from SSL_CERT_FILE if that is set. `show` is called in this
/// thread.
[[nodiscard]] std::variant<Downloaded, FileFailure> download(const DownloadRequest& request,
                                                             const ShowDownload& show,
                                                             const std::stop_token& stop);

}  // namespace tandem::specs
