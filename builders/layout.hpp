#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runners/sandbox.hpp"

namespace tandem::builders {

/// Links every program that has captured inputs in `links` once more, functions and data in the order that
/// `seed` decides, into `to`, where the same files already stand as they were built; the others stay as they
/// are. The same seed gives the same bytes. Returns nothing if all went well: the order really is another
/// one, and each is the same program otherwise, needing, exporting and defining the same. If not, a sentence;
/// then `to` is to be thrown away.
///
/// With `sandbox`, lld runs in one, else as `foreign` says: its inputs come from a foreign build. Throws
/// std::system_error if the disk fails, Error if `links` is damaged.
[[nodiscard]] std::optional<std::string> relink(
    const std::filesystem::path& links, const std::filesystem::path& lld, std::uint64_t seed,
    const std::filesystem::path& to, const std::stop_token& stop = {},
    const std::optional<runners::SandboxTools>& sandbox = std::nullopt,
    runners::Foreign foreign = runners::Foreign::no);

/// The names of the functions that a program or library defines, by address. Empty if it has no symbols.
/// Throws std::system_error if the file cannot be read.
[[nodiscard]] std::vector<std::string> function_order(const std::filesystem::path& file);

}  // namespace tandem::builders
