#include "analysis/verdict.hpp"

namespace tandem::analysis {

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::identical:
      return "identical";
    case Outcome::slower:
      return "slower";
    case Outcome::faster:
      return "faster";
    case Outcome::unchanged:
      return "unchanged";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::unmeasurable:
      return "unmeasurable";
    case Outcome::failed:
      return "failed";
    case Outcome::control_fails:
      return "control_fails";
    case Outcome::treatment_fails:
      return "treatment_fails";
  }
  return "unknown";
}

}  // namespace tandem::analysis
