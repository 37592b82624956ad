// Three benchmarks, one of which can be built slower than in its twin.
#include "tandem.hpp"
#include "work.hpp"

#ifndef UNITS
#define UNITS 1000
#endif

int main(int argc, char** argv) {
  tandem::Program program;
  const auto add = [&](const char* name, std::uint64_t units) {
    program.add(name, [units] {
      return [units, value = tandem::seed()](std::uint64_t iterations) mutable {
        for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(value = work(units, value | 1));
      };
    });
  };
  add("short", 500);
  add("changed", UNITS);
#ifdef RENAMED
  add("renamed", 700);
#else
  add("original", 700);
#endif
  return program.run(argc, argv);
}
