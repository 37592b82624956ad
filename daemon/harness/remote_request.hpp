#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// Where results are sent, and under which name the server files them.
struct Address {
  std::string url;
  std::string category;
};

/// Reads --remote_reporter's "URL|CATEGORY"; https is meant where no scheme stands. Throws InputError that
/// names the flag.
[[nodiscard]] Address read_address(const std::string& setting);

/// Throws InputError for a token that cannot stand in a header. Never shows it.
void check_token(const std::string& token);

// What goes over the wire, as REMOTE.md describes it.
/// A request without its token: what the spool keeps.
struct RemoteRequest {
  std::string id;         ///< of the run
  std::size_t count = 0;  ///< of its logs
  std::string logs;       ///< a JSON list as text
};

[[nodiscard]] RemoteRequest remote_request(const RunRecord& record, const std::string& category);

[[nodiscard]] std::string spool_text(const RemoteRequest& request);
/// Nothing if the text is not exactly what spool_text wrote.
[[nodiscard]] std::optional<RemoteRequest> read_spool_text(const std::string& text);

[[nodiscard]] std::string request_body(const RemoteRequest& request, const std::string& token);
[[nodiscard]] std::vector<std::string> request_headers(const RemoteRequest& request,
                                                       const std::string& token);

struct HttpAnswer {
  long status = 0;
  std::string body;
};

/// What an answer means for the request.
enum class Reception {
  taken,    ///< the server has all of it, now or since an earlier request
  later,    ///< it may take it later: it is in trouble, busy, or refuses the token or the address
  refused,  ///< it will never take this one
};
struct Received {
  Reception reception = Reception::later;
  std::string why;  ///< half a sentence, empty if taken
};
[[nodiscard]] Received received(const HttpAnswer& answer, const RemoteRequest& request);

}  // namespace tandem::daemon::harness
