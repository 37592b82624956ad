#include "specs/http_answer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tandem::specs {
namespace {

constexpr std::size_t longest_validator = 512;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// It is sent back in a header line and kept in a line of a file.
std::string kept(std::string_view validator) {
  const bool plain =
      std::all_of(validator.begin(), validator.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
  return plain && validator.size() <= longest_validator ? std::string(validator) : "";
}

}  // namespace

void HttpAnswer::add_line(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = HttpAnswer();
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return;
    status_ = number<int>(trimmed(line).substr(space + 1, 3)).value_or(0);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = in_lower_case(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag") etag_ = kept(value);
  if (name == "last-modified") last_modified_ = kept(value);
  if (name == "content-range") read_content_range(value);
}

void HttpAnswer::read_content_range(std::string_view value) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t dash = value.find('-');
  const std::size_t slash = value.find('/');
  if (!value.starts_with(unit) || dash == std::string_view::npos || slash == std::string_view::npos) return;
  first_ = number<std::uint64_t>(value.substr(unit.size(), dash - unit.size()));
  total_ = number<std::uint64_t>(value.substr(slash + 1));
}

std::string HttpAnswer::validator() const {
  // A weak ETag promises the same meaning, not the same bytes (RFC 9110, 13.1.5).
  return etag_.starts_with('"') ? etag_ : last_modified_;
}

AfterAnswer after_answer(int status) {
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return AfterAnswer::redirect;
    case 416:
      return AfterAnswer::begin_anew;
    case 408:  // request time-out
    case 425:  // too early
    case 429:  // too many requests
      return AfterAnswer::try_again;
    default:
      return status >= 500 ? AfterAnswer::try_again : AfterAnswer::give_up;
  }
}

}  // namespace tandem::specs
