#pragma once

#include <cstdlib>
#include <string>

#include "specs/json/problem.hpp"

namespace tandem::tests {

/// Whether `parse(text, problems)` finds nothing wrong. Ends the program if collecting problems changes what
/// is wrong first: a reader must say the same in both modes.
template <typename Parse>
bool loads_alike(const std::string& text, Parse&& parse) {
  specs::Problems all(specs::Problems::Mode::collect);
  parse(text, all);
  bool loads = true;
  try {
    specs::Problems first(specs::Problems::Mode::stop_at_first);
    parse(text, first);
  } catch (const InputError& error) {
    loads = false;
    if (all.empty() || error.what() != all.found().front().text()) std::abort();
  }
  if (loads != all.empty()) std::abort();
  return loads;
}

}  // namespace tandem::tests
