#pragma once

#include <string>

namespace tandem::builders {

/// "line 3\nline 4\n…", both ends included.
inline std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

}  // namespace tandem::builders
