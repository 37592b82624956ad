#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "config/settings.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/process/sandbox.hpp"

namespace tandem::daemon {

/// What separates the code that is built and run here from this host.
struct Isolation {
  std::optional<runners::SandboxTools> tools;       ///< nothing: no sandbox
  runners::Foreign foreign = runners::Foreign::no;  ///< how code is run where there is no sandbox
  runners::IsolationFacts facts;                    ///< for the reports
  std::string sentence;                             ///< for the status
};

/// Tries the sandbox once. Without one, unless none is wanted, code is run as foreign: by root as another
/// user, who must be able to enter `state_dir`. Throws Error if what is wanted cannot be had.
[[nodiscard]] Isolation choose_isolation(config::Isolation wish, const std::filesystem::path& shim,
                                         const std::filesystem::path& state_dir);

/// The one with a sandbox, or a sentence why there can be none now.
[[nodiscard]] std::variant<Isolation, std::string> try_sandbox(const std::filesystem::path& shim);

/// Puts it into the settings of a runner. Benchmarks may then read, beside their own files, what the settings
/// name, and nobody's secrets are in their environment. Throws InputError if one of those files is not there.
void isolate_benchmarks(const Isolation& isolation, const config::Settings& settings,
                        runners::HostSettings& host);

}  // namespace tandem::daemon
