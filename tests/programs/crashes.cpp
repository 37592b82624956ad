// Dies by a signal in the middle of its first slice.
#include <csignal>
#include <cstdio>

#include "tandem.hpp"

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("work", [] {
    return [](std::uint64_t) {
      std::fputs("dividing by the number of rows\n", stderr);
      std::raise(SIGSEGV);
    };
  });
  return program.run(argc, argv);
}
