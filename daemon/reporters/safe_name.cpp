#include "daemon/reporters/safe_name.hpp"

#include <algorithm>

#include "builders/hashes.hpp"

namespace tandem::daemon::reporters {
namespace {

/// File names may have 255 bytes; this leaves room for the digest and for what writers put around a name.
constexpr std::size_t longest = 120;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

bool is_safe(std::string_view text) {
  return !text.empty() && text.size() <= longest && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), is_plain);
}

std::string spelled(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, longest)) {
    if (is_plain(c)) {
      name += c;
    } else if (c == ' ' || c == '\\' || c == ':' || c == '/') {
      name += '-';
    }
  }
  return name.empty() || name.front() == '.' || name.front() == '-' ? "_" + name : name;
}

std::string with_digest(std::string_view text) {
  return spelled(text) + "~" + builders::sha256_of(text).substr(0, 12);
}

}  // namespace

std::string safe_name(std::string_view text) {
  if (text.empty()) return "unnamed~";
  return is_safe(text) ? std::string(text) : with_digest(text);
}

std::string safe_key_name(std::string_view type, std::string_view metric) {
  // With a metric without "-", the last "-" of the name is where the two meet.
  const bool clear = is_safe(type) && is_safe(metric) && metric.find('-') == std::string_view::npos;
  if (clear && type.size() + metric.size() < longest) return std::string(type) + "-" + std::string(metric);
  return with_digest(std::string(type) + " " + std::string(metric));
}

}  // namespace tandem::daemon::reporters
