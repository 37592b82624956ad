#include "specs/foundation/process_identity.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace tandem {
namespace {

std::string line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

std::string process_identity(int pid) {
  const std::string line = line_of(fmt::format("/proc/{}/stat", pid));
  // The name of the program stands in parentheses and may hold some itself; what follows does not.
  const auto name_end = line.rfind(')');
  if (pid <= 0 || name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  constexpr int fields_before_start = 19;  // proc(5): the start is the 22nd, the name the 2nd
  std::string field;
  for (int i = 0; i <= fields_before_start; ++i) fields >> field;
  if (!fields) return {};
  return fmt::format("{}/{}", line_of("/proc/sys/kernel/random/boot_id"), field);
}

std::string this_process() {
  return process_identity(::getpid());
}

}  // namespace tandem
