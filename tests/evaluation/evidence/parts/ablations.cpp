#include "evaluation/evidence/part.hpp"
#include "specs/error.hpp"

namespace tandem::evaluation {

PartResult ablations(const PartSettings&) {
  throw Error("ablations is not written yet");
}

}  // namespace tandem::evaluation
