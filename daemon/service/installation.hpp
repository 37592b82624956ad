#pragma once

#include <filesystem>
#include <string>

namespace tandem::daemon {

/// Where the files of this program lie.
struct Installation {
  std::string version = "unknown";
  std::filesystem::path program;         ///< this executable, started again for fetches
  std::filesystem::path sdk_dir;         ///< given to build scripts
  std::filesystem::path frameworks_dir;  ///< used where a watch names none
  std::filesystem::path shim;            ///< the program inside a sandbox
  std::filesystem::path linker;          ///< the folder of the wrapper that captures links
  std::filesystem::path host_check;      ///< what is calibrated without a program
};

/// Beside an installed program, or in its source tree. Throws Error.
[[nodiscard]] Installation find_installation();

}  // namespace tandem::daemon
