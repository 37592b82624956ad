// Knows nothing of Tandem: works and ends.
#include "work.hpp"

#ifndef UNITS
#define UNITS 10000000
#endif

int main() {
  return work(UNITS, 1) == 0 ? 1 : 0;
}
