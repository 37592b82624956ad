// One workload as a program of the SDK, or, with --iterations N, as a plain command with a fixed amount of
// work, so that tools which time whole processes can measure the very same executable.
#include <cstdlib>
#include <cstring>

#include "evaluation/workloads/workload.hpp"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--iterations") == 0) {
    tandem::evaluation::prepare()(std::strtoull(argv[2], nullptr, 10));
    return 0;
  }
  tandem::Program program;
  program.add(tandem::evaluation::name, tandem::evaluation::prepare);
  return program.run(argc, argv);
}
