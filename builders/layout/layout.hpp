#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "runners/process/sandbox.hpp"

namespace tandem::builders {

/// Why a program has no other layout.
struct RelinkFailure {
  enum class Kind {
    not_possible,  ///< what it was linked from is not there, or the linker refuses: it would refuse again
    may_pass       ///< the linker did not run or did not end by itself, or had no room
  };
  Kind kind = Kind::not_possible;
  std::string sentence;
};

/// How the linker is kept apart from the host: its inputs come from a foreign build.
struct LinkIsolation {
  std::optional<runners::SandboxTools> sandbox = {};
  runners::Foreign foreign = runners::Foreign::no;  ///< without a sandbox
  std::uint64_t memory_bytes = 0;                   ///< of foreign code; 0: no limit
  std::size_t processes = 0;                        ///< the same
};

/// Links every program that has captured inputs in `links` once more, functions and data in the order that
/// `seed` decides, into `to`, where the same files already stand as they were built; the others stay as they
/// are. The same seed gives the same bytes. Returns nothing if all went well: the order really is another
/// one, and each is the same program otherwise, needing, exporting and defining the same. If not, `to` is to
/// be thrown away.
///
/// Throws std::system_error if the disk fails, Error if `links` is damaged.
[[nodiscard]] std::optional<RelinkFailure> relink(const std::filesystem::path& links,
                                                  const std::filesystem::path& lld, std::uint64_t seed,
                                                  const std::filesystem::path& to,
                                                  const std::stop_token& stop = {},
                                                  const LinkIsolation& isolation = {});

}  // namespace tandem::builders
