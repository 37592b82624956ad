#pragma once

#include <filesystem>

namespace tandem::builders {

/// Kills every process that was started to work in this directory: its HOME or TMPDIR lies there, as only
/// builds are given it. A build script dies with the process that started it; what it started itself does
/// not. The caller holds the directory's lock, so that nobody who lives is meant. Returns when they are gone,
/// at most after a few seconds.
void end_processes_in(const std::filesystem::path& directory);

}  // namespace tandem::builders
