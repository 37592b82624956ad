#include "specs/files/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tandem::specs {
namespace {

constexpr std::string_view after_scheme = "://";

}  // namespace

std::string scheme_of(std::string_view location) {
  const std::size_t end = location.find(after_scheme);
  if (end == 0 || end == std::string_view::npos) return "";
  std::string scheme(location.substr(0, end));
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; };
  if (!std::all_of(scheme.begin(), scheme.end(), fits)) return "";
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return scheme;
}

std::string shown_url(const std::string& url) {
  const std::size_t scheme = url.find(after_scheme);
  if (scheme == std::string::npos) return url;
  const std::size_t host = scheme + after_scheme.size();
  const std::size_t host_end = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t user_end = url.substr(0, host_end).rfind('@');
  const std::size_t secret = std::min(url.find_first_of("?#", host), url.size());
  std::string shown = url.substr(0, host);
  const std::size_t from = user_end == std::string::npos || user_end < host ? host : user_end + 1;
  for (const char c : url.substr(from, secret - from)) {
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return secret < url.size() ? shown + "?…" : shown;
}

std::optional<std::string> refused_redirect(const std::string& from, const std::string& to) {
  const std::string scheme = scheme_of(to);
  if (scheme == "https" || (scheme == "http" && scheme_of(from) == "http")) return std::nullopt;
  return fmt::format(
      "the server at {} points to {}, and a download goes from http to http or https and from "
      "https to https only",
      shown_url(from), shown_url(to));
}

std::optional<std::string> path_of_file_url(const std::string& url) {
  if (scheme_of(url) != "file") return std::nullopt;
  std::string_view rest = std::string_view(url).substr(url.find(after_scheme) + after_scheme.size());
  constexpr std::string_view this_host = "localhost";
  if (rest.starts_with(this_host)) rest.remove_prefix(this_host.size());
  if (!rest.starts_with('/')) return std::nullopt;
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      path += rest[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = rest.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    path += static_cast<char>(value);
    i += 2;
  }
  return path;
}

}  // namespace tandem::specs
