#include "daemon/reporters/address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "builders/printable.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::reporters {
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

bool is_visible_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError(fmt::format("--remote_reporter: {}; write it as \"https://host/path|category\"", what));
}

}  // namespace

Address read_address(const std::string& setting) {
  const auto bar = setting.find('|');
  const auto shown = builders::printable(setting, 200);
  if (bar == std::string::npos) refuse(fmt::format("\"{}\" has no category", shown));
  if (setting.find('|', bar + 1) != std::string::npos)
    refuse(fmt::format("\"{}\" has more than one \"|\"", shown));
  Address address{trimmed(setting.substr(0, bar)), trimmed(setting.substr(bar + 1))};
  if (address.url.empty()) refuse(fmt::format("\"{}\" has no URL", shown));
  if (address.category.empty()) refuse(fmt::format("\"{}\" has no category", shown));

  const auto scheme_end = address.url.find("://");
  if (scheme_end == std::string::npos) address.url = "https://" + address.url;
  const std::string scheme = address.url.substr(0, address.url.find("://"));
  if (scheme != "http" && scheme != "https")
    refuse(fmt::format("\"{}\" is neither http nor https", builders::printable(scheme, 40)));
  const std::string rest = address.url.substr(scheme.size() + 3);
  const std::string host = rest.substr(0, rest.find_first_of("/?#"));
  // Everything else that is shown of an address is free of secrets, and so it must be.
  if (host.find('@') != std::string::npos)
    throw InputError(
        "--remote_reporter: a name and password in the URL would be shown; use "
        "--remote_access_token_file");
  if (host.empty() || host.front() == ':') refuse(fmt::format("\"{}\" has no host", shown));
  if (!is_visible_ascii(address.url)) refuse(fmt::format("\"{}\" is not a URL", shown));
  return address;
}

void check_token(const std::string& token) {
  if (!is_visible_ascii(token))
    throw InputError(
        "--remote_access_token: a token has no spaces, line ends or letters beyond ASCII; check the "
        "file or the value it came from");
}

}  // namespace tandem::daemon::reporters
