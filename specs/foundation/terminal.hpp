#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "specs/foundation/text.hpp"

namespace tandem {

/// Writes text of several lines for a person. All that the program shows goes through here, so that no name,
/// message or output of somebody else's reaches a terminal with an escape sequence in it.
template <class... Parts>
void show(std::FILE* where, fmt::format_string<Parts...> format, Parts&&... parts) {
  const std::string text = printable_text(fmt::format(format, std::forward<Parts>(parts)...));
  std::fwrite(text.data(), 1, text.size(), where);
}

template <class... Parts>
void show(fmt::format_string<Parts...> format, Parts&&... parts) {
  show(stdout, format, std::forward<Parts>(parts)...);
}

}  // namespace tandem
