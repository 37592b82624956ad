#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "specs/foundation/random.hpp"

namespace tandem::tests {

/// One small change at a random place: a bit turned, the rest cut off, a piece put in, or a part said twice.
inline void mutate(std::string& text, const std::vector<std::string>& pieces, tandem::Random& random) {
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0:
      text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
    case 1:
      text.resize(at);
      break;
    case 2:
      text.insert(at, pieces[random.below(pieces.size())]);
      break;
    default:
      text.insert(at, text.substr(random.below(text.size()), random.below(40)));
      break;
  }
}

}  // namespace tandem::tests
