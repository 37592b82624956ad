#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "builders/builder.hpp"
#include "builders/source.hpp"
#include "config/settings.hpp"
#include "daemon/service/build_ahead.hpp"
#include "daemon/service/installation.hpp"
#include "daemon/service/isolation.hpp"
#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/hooked_runner.hpp"

namespace tandem::daemon {

/// The builders of one platform: one for what is needed now and, where builds may run beside measurements,
/// one for what comes next.
class Building {
 public:
  /// `settings` are those of the first; the second gets the processors that do not measure.
  Building(const builders::BuildSettings& settings, bool same_host, const runners::CpuChoice& cpus);

  [[nodiscard]] builders::Builder& builder();
  /// Builds these while others are measured; nothing happens where that is not allowed.
  void expect(std::vector<builders::Commit> commits);
  /// Lets nothing be built ahead during launches that have more than the one processor that measures.
  [[nodiscard]] runners::RunnerHook pause_during_launches();
  /// Whether commits are built ahead, or why not.
  [[nodiscard]] const std::string& ahead_sentence() const { return sentence_; }

 private:
  std::unique_ptr<builders::ScriptBuilder> front_;
  std::unique_ptr<builders::ScriptBuilder> behind_;
  std::unique_ptr<BuildAhead> ahead_;
  std::string sentence_;
};

/// Whose builds they are, from where, and how they are kept apart.
struct BuildContext {
  const config::Settings& settings;
  const config::WatchSettings& watch;
  const Installation& installation;
  const Isolation& isolation;
  std::filesystem::path mirror;
  builders::Source source;
  std::optional<specs::BuildSection> section;
};

/// Where the watch's branch comes from. Throws InputError.
[[nodiscard]] builders::Source source_of(const config::WatchSettings& watch);

[[nodiscard]] builders::BuildSettings build_settings(const BuildContext& context,
                                                     const std::string& platform);

}  // namespace tandem::daemon
