#pragma once

#include <string>

namespace tandem::daemon::reporters {

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

}  // namespace tandem::daemon::reporters
