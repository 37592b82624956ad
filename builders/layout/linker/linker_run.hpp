#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem::builders {

/// How a linker that was called ended, with what it wrote.
struct LinkerRun {
  int wait_status = 0;  ///< as waitpid gives it
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return wait_status == 0; }
};

/// Runs a linker to its end with this process' environment and directory. Throws std::system_error if no
/// process can be made.
[[nodiscard]] LinkerRun run_linker(const std::filesystem::path& program,
                                   const std::vector<std::string>& arguments);

/// The first program of this name on PATH that is not this process' own file; empty if there is none.
[[nodiscard]] std::filesystem::path find_linker(const std::string& name);

/// The line that says why a linker failed, without the linker's name.
[[nodiscard]] std::string first_error(const std::string& errors);

/// Ends this process as a linker that ended so would have, after writing what it wrote.
[[noreturn]] void end_like(const LinkerRun& run);

}  // namespace tandem::builders
