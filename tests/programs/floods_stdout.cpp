// Writes without end once it is asked to work.
#include <cstdio>

#include "tandem.hpp"

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("work", [] {
    return [](std::uint64_t) {
      for (;;) std::puts("step 1 of many: all is well, nothing to see here, carry on as before");
    };
  });
  return program.run(argc, argv);
}
