#pragma once

#include <optional>
#include <string>
#include <vector>

#include "builders/executable.hpp"
#include "daemon/measure/test.hpp"
#include "daemon/store/store.hpp"

namespace tandem::daemon {

/// Equal for two builds that run the same code in the same way: the executable's fingerprint (every file, the
/// system libraries it finds) and everything the tests give it: commands, environment, metrics.
[[nodiscard]] std::string identity_of(const builders::Executable& executable, const std::vector<Test>& tests);

/// Equal for two tests that give a program the same: then their benchmarks are the same things.
/// The version is not known before the program has run.
[[nodiscard]] store::Definition definition_of(const Test& test);

/// What is asked about one benchmark of a commit before it is measured.
struct IdentityQuestion {
  std::string commit;
  std::string control;
  std::string before;  ///< the nearest earlier commit that has the benchmark; empty: none
  std::string benchmark;
  std::string metric;
};

/// Why the commit need not be measured: it is the same as its control, as the commit before it, or as any
/// commit that was found unchanged against the same control. Nothing if it must be.
[[nodiscard]] std::optional<std::string> same_as_judged(const store::Store& store, const WatchKey& key,
                                                        const IdentityQuestion& question);

}  // namespace tandem::daemon
