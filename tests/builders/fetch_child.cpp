// The smallest program that a fetch can re-execute.
#include <cstdio>
#include <string>
#include <vector>

#include "builders/fetch.hpp"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments.front() != tandem::builders::fetch_protocol::command) {
    std::fputs("usage: fetch_child internal-fetch MIRROR BRANCH\n", stderr);
    return 2;
  }
  return tandem::builders::fetch_in_child({arguments.begin() + 1, arguments.end()});
}
