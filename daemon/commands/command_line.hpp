#pragma once

#include <string>
#include <variant>

#include "daemon/commands/compare.hpp"

namespace tandem::daemon::commands {

/// Text to print instead of work: help or the version.
struct Message {
  std::string text;
};

using Request = std::variant<Message, CompareOptions>;

/// Reads the command line. Throws `InputError` with one sentence that names the flag and what is allowed.
[[nodiscard]] Request read_command_line(int argc, const char* const* argv);

}  // namespace tandem::daemon::commands
