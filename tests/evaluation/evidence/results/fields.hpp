#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace tandem::evaluation {

/// Reads a field that is a number and nothing else. False, with the number in any state, if it is not.
template <class Number>
[[nodiscard]] bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The text up to the next tab, which is taken off the line with it.
[[nodiscard]] inline std::string_view next_field(std::string_view& line) {
  const std::size_t end = line.find('\t');
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return field;
}

}  // namespace tandem::evaluation
