#pragma once

#include <filesystem>
#include <string>

namespace tandem::builders {

/// What a build on this search path compiles and links with: paths and version lines of the compilers, the
/// linkers, CMake and its tools, and a hash of the runtime libraries that are linked in. Programs that are
/// not there are named as missing. Asked once, and again when one of the files has changed.
[[nodiscard]] std::string describe_toolchain(const std::string& search_path);

/// A program's path and the first line it prints for `--version`, or how it failed.
[[nodiscard]] std::string describe_program(const std::filesystem::path& program);

}  // namespace tandem::builders
