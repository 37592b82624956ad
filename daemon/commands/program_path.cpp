#include "daemon/commands/program_path.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "specs/foundation/error.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_program(const std::string& name, const std::string& role) {
  std::error_code error;
  if (name.find('/') == std::string::npos && !fs::exists(name, error)) {
    const char* path = std::getenv("PATH");
    std::stringstream directories(path != nullptr ? path : "");
    for (std::string directory; std::getline(directories, directory, ':');) {
      if (is_program(fs::path(directory) / name)) return fs::canonical(fs::path(directory) / name);
    }
  }
  if (!fs::exists(name, error)) {
    throw InputError(fmt::format("{}: {} does not exist; give the path of an executable", role, name));
  }
  if (!is_program(name)) {
    throw InputError(
        fmt::format("{}: {} is not an executable file; give the path of a program (chmod +x may be missing)",
                    role, name));
  }
  return fs::canonical(name);
}

}  // namespace tandem::daemon::commands
