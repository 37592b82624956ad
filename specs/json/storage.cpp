#include "specs/json/storage.hpp"

#include <algorithm>

namespace tandem::specs {

namespace {

constexpr std::size_t block = 1024;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

JsonStorage::JsonStorage(std::string file_name, std::string content)
    : file(std::move(file_name)), text(std::move(content)), line_starts{0} {
  std::uint32_t continued = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % block == 0) continued_before.push_back(continued);
    if (is_continuation(text[i])) ++continued;
    if (text[i] == '\n') line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  continued_before.push_back(continued);
}

std::size_t JsonStorage::characters_before(std::size_t offset) const {
  const std::size_t start = offset / block * block;
  const auto at = [this](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto in_block = std::count_if(at(start), at(offset), is_continuation);
  return offset - continued_before[offset / block] - static_cast<std::size_t>(in_block);
}

Position JsonStorage::position(std::size_t offset) const {
  offset = std::min(offset, text.size());
  const auto after = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts.begin());
  return {line, characters_before(offset) - characters_before(*std::prev(after)) + 1};
}

std::string JsonStorage::pointer(std::uint32_t index) const {
  std::vector<std::string> parts;
  for (; index != 0; index = values[index].parent) {
    const JsonValue& value = values[index];
    if (values[value.parent].kind == Kind::array) {
      parts.push_back(std::to_string(value.rank));
      continue;
    }
    std::string escaped;  // RFC 6901, section 3
    for (const char c : value.key) {
      if (c == '~') {
        escaped += "~0";
      } else if (c == '/') {
        escaped += "~1";
      } else {
        escaped += c;
      }
    }
    parts.push_back(std::move(escaped));
  }
  std::string result;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) result += "/" + *part;
  return result;
}

Problem JsonStorage::problem(std::size_t offset, std::string pointer, std::string message) const {
  // A key may be megabytes long and hold control characters; a message should fit on a screen.
  constexpr std::size_t longest_pointer = 200;
  if (pointer.size() > longest_pointer) {
    std::size_t length = longest_pointer;
    while (length > 0 && is_continuation(pointer[length])) --length;
    pointer = pointer.substr(0, length) + "…";
  }
  std::replace_if(
      pointer.begin(), pointer.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return {file, position(offset), std::move(pointer), std::move(message)};
}

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
