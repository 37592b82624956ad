#pragma once

#include <filesystem>
#include <stop_token>

#include "runners/process.hpp"

namespace tandem::builders {

/// Runs a command of the work in this directory to its end. As long as it runs, `<directory>.started` says
/// which process it is, for whoever cleans up after us. Throws std::system_error if that cannot be written.
[[nodiscard]] runners::Finished run_noted(const std::filesystem::path& directory,
                                          const runners::Command& command, const runners::Limits& limits,
                                          const std::stop_token& stop);

/// Kills what a killed process left running in this directory: the noted process, if it is still the same
/// one, and every member of the session that it led. The command dies with the process that started it; what
/// it started itself does not. The caller holds the directory's lock, so that nobody who lives is meant.
/// Returns when they are gone, at most after a few seconds.
void end_processes_in(const std::filesystem::path& directory);

}  // namespace tandem::builders
