// Honest, and says more of itself than the time it took.
#include "tandem.hpp"
#include "work.hpp"

#ifndef POOL
#define POOL 4096
#endif

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("work", [] {
    return [value = tandem::seed()](std::uint64_t iterations) mutable {
      for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(value = work(2000, value | 1));
      tandem::report("peak_pool", POOL, "B");
      tandem::report("rows", 12.5, "rows/s");
    };
  });
  return program.run(argc, argv);
}
