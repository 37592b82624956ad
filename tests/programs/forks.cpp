// Honest, but leaves a process behind that has left its process group.
#include <unistd.h>

#include "tandem.hpp"
#include "work.hpp"

int main(int argc, char** argv) {
  if (::fork() == 0) {
    ::setsid();
    for (;;) ::pause();
  }
  tandem::Program program;
  program.add("work", [] {
    return [value = tandem::seed()](std::uint64_t iterations) mutable {
      for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(value = work(2000, value | 1));
    };
  });
  return program.run(argc, argv);
}
