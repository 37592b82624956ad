// An honest program: one benchmark of 2000 units of real work, or as many as it was built for.
#include "tandem.hpp"
#include "work.hpp"

#ifndef UNITS
#define UNITS 2000
#endif

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("work", [] {
    return [value = tandem::seed()](std::uint64_t iterations) mutable {
      for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(value = work(UNITS, value | 1));
    };
  });
  return program.run(argc, argv);
}
