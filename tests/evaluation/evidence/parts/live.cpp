#include "evaluation/evidence/part.hpp"
#include "specs/error.hpp"

namespace tandem::evaluation {

PartResult live(const PartSettings&) {
  throw Error("live is not written yet");
}

}  // namespace tandem::evaluation
