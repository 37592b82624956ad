#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace tandem::daemon::harness {

struct HttpTimeOuts {
  std::chrono::milliseconds connect = std::chrono::seconds(10);
  std::chrono::milliseconds whole = std::chrono::seconds(60);
};

struct HttpAnswer {
  long status = 0;
  std::string body;
};

/// No answer, or half of one. What the server did with the request is unknown.
struct HttpFailure {
  std::string what;  ///< half a sentence: "the server does not answer: Connection refused"
};

/// Sends `body` as JSON and waits for the whole answer, of at most 1 MiB. Follows no redirection: the token
/// would go elsewhere. A stop ends it at once.
[[nodiscard]] std::variant<HttpAnswer, HttpFailure> http_post(const std::string& url, const std::string& body,
                                                              const std::vector<std::string>& headers,
                                                              const HttpTimeOuts& time_outs,
                                                              const std::stop_token& stop);

}  // namespace tandem::daemon::harness
