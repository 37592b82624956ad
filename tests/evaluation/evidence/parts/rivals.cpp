#include "evaluation/evidence/part.hpp"
#include "specs/error.hpp"

namespace tandem::evaluation {

PartResult rivals(const PartSettings&) {
  throw Error("rivals is not written yet");
}

}  // namespace tandem::evaluation
