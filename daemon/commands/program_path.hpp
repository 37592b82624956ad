#pragma once

#include <filesystem>
#include <string>

namespace tandem::daemon::commands {

/// A path, or the name of a command on PATH; the result is canonical. Throws InputError that begins with
/// `role`, such as "control".
[[nodiscard]] std::filesystem::path find_program(const std::string& name, const std::string& role);

}  // namespace tandem::daemon::commands
