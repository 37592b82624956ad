#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "builders/builder.hpp"
#include "daemon/measure/screening.hpp"
#include "daemon/measure/test.hpp"
#include "daemon/records/record.hpp"
#include "runners/pairing/pair_runner.hpp"

namespace tandem::daemon {

/// One executable in several layouts; only as it was built if it cannot be relinked.
struct Linkings {
  std::vector<builders::Executable> layouts;          ///< at least one
  std::optional<builders::RelinkFailure> unresolved;  ///< why there is only one; nothing if there are more
};

/// The layouts that screens draw from, linked once per commit, and fresh ones for confirmations.
///
/// A layout of a sliced program is smoke-tested before it is used: it must list the same benchmarks as the
/// program it was linked from.
class Layouts {
 public:
  Layouts(builders::Builder& builder, runners::PairRunner& runner, std::filesystem::path scratch)
      : builder_(builder), runner_(runner), scratch_(std::move(scratch)) {}

  /// So many of them. With a stop request the answer may be incomplete and is not kept.
  [[nodiscard]] Linkings of(const builders::Executable& executable, const Test& test, std::size_t count,
                            const std::stop_token& stop);

  /// Lets go of all layouts, so that the cache may drop them.
  void clear() { known_.clear(); }

  /// A layout that no screen has seen.
  [[nodiscard]] std::variant<builders::Executable, builders::RelinkFailure> fresh(
      const builders::Executable& executable, std::uint64_t seed, const std::stop_token& stop);
  /// Fresh layouts are not asked for again; they are taken out of the cache.
  void drop(std::vector<builders::Executable>& fresh);

 private:
  [[nodiscard]] bool runs_as(const std::optional<std::vector<std::string>>& original, const Test& test,
                             const builders::Executable& layout, const std::stop_token& stop);
  Linkings link(const builders::Executable& executable, const Test& test, std::size_t count,
                const std::stop_token& stop);

  builders::Builder& builder_;
  runners::PairRunner& runner_;
  std::filesystem::path scratch_;
  std::map<std::pair<std::string, std::size_t>, Linkings>
      known_;                           ///< by the executable's key and their number
  std::set<std::string> smoke_tested_;  ///< keys of executables whose layouts ran well
};

/// Which programs each launch of a screen runs: a draw of one layout per side, the same for the same seed.
[[nodiscard]] PairSource draw_layouts(const Test& test, Linkings control, Linkings treatment,
                                      const std::filesystem::path& scratch, std::uint64_t seed);

/// Why one of the sides has no other layout now; nothing: both have, or one never will.
[[nodiscard]] const builders::RelinkFailure* unlinked_for_now(const Linkings& control,
                                                              const Linkings& treatment);

/// What reports say: how many layouts were drawn from, or why there was one.
[[nodiscard]] LayoutFacts describe_layouts(const Linkings& control, const Linkings& treatment);

}  // namespace tandem::daemon
