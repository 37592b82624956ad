// A supervisor that is about to be killed: starts a child that would run for ever, prints its number, and
// waits.
#include <unistd.h>

#include <cstdio>

#include "runners/process.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tandem::runners::Children children;
  const auto child = children.start({{argv[1]}, {}, {}, {}, {}}, {});
  std::printf("%d\n", children.pid(child));
  std::fflush(stdout);
  for (;;) ::pause();
}
