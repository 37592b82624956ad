// Never comes back from a slice.
#include <unistd.h>

#include "tandem.hpp"

int main(int argc, char** argv) {
  tandem::Program program;
  program.add("work", [] {
    return [](std::uint64_t) {
      for (;;) ::pause();
    };
  });
  return program.run(argc, argv);
}
