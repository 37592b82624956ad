#include "specs/json_text.hpp"

#include <algorithm>

namespace tandem::specs {
namespace {

/// The offset after the comment that starts here, or `at` itself if none does.
std::size_t comment_end(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return at + std::min(rest.find('\n'), rest.size());
  if (rest.starts_with("/*")) {
    const std::size_t close = rest.find("*/", 2);
    return close == std::string_view::npos ? text.size() : at + close + 2;
  }
  return at;
}

}  // namespace

// Well-formed byte sequences are those of the Unicode standard, table 3-7.
std::size_t find_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned lead = byte(i);
    const unsigned second = byte(i + 1);
    if (lead < 0x80) {
      i += 1;
    } else if (lead >= 0xc2 && lead <= 0xdf && follows(i + 1)) {
      i += 2;
    } else if (lead >= 0xe0 && lead <= 0xef && follows(i + 1) && follows(i + 2) &&
               (lead != 0xe0 || second >= 0xa0) && (lead != 0xed || second < 0xa0)) {
      i += 3;
    } else if (lead >= 0xf0 && lead <= 0xf4 && follows(i + 1) && follows(i + 2) && follows(i + 3) &&
               (lead != 0xf0 || second >= 0x90) && (lead != 0xf4 || second < 0x90)) {
      i += 4;
    } else {
      return i;
    }
  }
  return std::string_view::npos;
}

std::size_t skip_to_token(std::string_view text, std::size_t from) {
  if (from == 0 && text.starts_with("\xEF\xBB\xBF")) from = 3;
  while (from < text.size()) {
    if (std::string_view(" \t\r\n,:").find(text[from]) != std::string_view::npos) {
      ++from;
    } else if (const std::size_t after = comment_end(text, from); after != from) {
      from = after;
    } else {
      break;
    }
  }
  return from;
}

bool comma_between(std::string_view text, std::size_t from, std::size_t to) {
  while (from < to) {
    if (text[from] == ',') return true;
    const std::size_t after = comment_end(text, from);
    from = after == from ? from + 1 : after;
  }
  return false;
}

}  // namespace tandem::specs
