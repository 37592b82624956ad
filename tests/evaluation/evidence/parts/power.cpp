#include "evaluation/evidence/part.hpp"
#include "specs/error.hpp"

namespace tandem::evaluation {

PartResult power(const PartSettings&) {
  throw Error("power is not written yet");
}

}  // namespace tandem::evaluation
