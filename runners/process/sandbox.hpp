#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "runners/process/command.hpp"

namespace tandem::runners {

/// What stood between this host and the code that was built and run on it.
struct IsolationFacts {
  enum class Kind { unknown, sandbox, other_user, same_user } kind = Kind::unknown;
  bool call_filter = false;
  bool operator==(const IsolationFacts&) const = default;
};
[[nodiscard]] const char* name_of(IsolationFacts::Kind kind);  ///< "unknown", "sandbox", "other user", …

/// Tries whether a child can be run in a sandbox on this host. The second form is a sentence that says why
/// not and what to do, for the status.
[[nodiscard]] std::variant<SandboxTools, std::string> find_sandbox(const std::filesystem::path& shim);

/// Whether foreign code can be run without a sandbox by a caller that is root: nothing, or a sentence that
/// says why not. `directory` must be within reach of the other user.
[[nodiscard]] std::optional<std::string> complain_of_other_user(const std::filesystem::path& directory);

/// Gives a tree to the user as whom a sandboxed child runs, so that it can be written inside. Does nothing
/// unless the caller is root. Links are not followed.
void give_to_sandbox(const std::filesystem::path& tree);

/// Lets that user pass through a directory to what it knows by name: without a sandbox, foreign programs are
/// started from there. Does nothing unless the caller is root.
void let_sandbox_enter(const std::filesystem::path& directory);

}  // namespace tandem::runners
