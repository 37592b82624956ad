#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "builders/layout/linker/link_record.hpp"

namespace tandem::builders {

/// Calls `entry` with path and content of every file of a tar archive as lld's --reproduce writes it: ustar,
/// with a pax header before a file whose path is long. Throws std::runtime_error if it is anything else.
void for_each_entry(std::string_view archive,
                    const std::function<void(const std::string& path, std::string_view content)>& entry);

/// Takes lld's archive apart into `directory`: the arguments, the inputs of the build and only the names of
/// those of the system, which are listed in `record`. Sets record.reason instead if the inputs are not what
/// the real linker would have linked. Throws std::exception if the archive or the disk is broken.
void keep_inputs(const std::filesystem::path& archive, const std::filesystem::path& directory,
                 LinkRecord& record);

/// The build id of a 64-bit ELF file in hexadecimal digits; empty if it has none.
[[nodiscard]] std::string build_id_of(const std::filesystem::path& file);

/// True if the file, an object or an archive, holds GCC's intermediate code, which only GCC's plugin reads.
[[nodiscard]] bool needs_gcc_plugin(const std::filesystem::path& file);

inline constexpr const char* gcc_lto_reason =
    "an object holds GCC's intermediate code (-flto), which lld does not read";

}  // namespace tandem::builders
