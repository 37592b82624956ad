#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::config {

/// Where a state directory may come from besides flag and config file; values of the environment, empty if
/// not set.
struct StateDirPlaces {
  std::filesystem::path tandem_state_dir;                ///< TANDEM_STATE_DIR
  std::filesystem::path xdg_state_home;                  ///< XDG_STATE_HOME
  std::filesystem::path home;                            ///< HOME
  std::filesystem::path system_dir = "/var/lib/tandem";  ///< used if it exists and is writable

  [[nodiscard]] static StateDirPlaces of_this_process();
};

/// The state directory, absolute, not created: the flag, TANDEM_STATE_DIR, the config file, the system
/// directory, XDG_STATE_HOME/tandem, HOME/.local/state/tandem, in this order. Throws InputError if none of
/// them is there.
[[nodiscard]] std::filesystem::path choose_state_dir(
    const std::optional<std::filesystem::path>& flag,
    const std::optional<std::filesystem::path>& configured = std::nullopt,
    const StateDirPlaces& places = StateDirPlaces::of_this_process());

/// Which earlier commit a new one is compared with: the first of its week, its parent, `base_commit`, the
/// last tag.
enum class ControlRule { week, parent, fixed, tag };

/// Whether builds and benchmarks run in a sandbox: where the host allows it, always, never.
enum class Isolation { automatic, required, none };

/// Which commits are walked: along first parents, or every commit of the branch, merged ones too.
enum class Walk { first_parent, all };

/// When the walk is behind: every commit in turn, or the newest first and the others only if it is slower.
enum class CatchUp { every, newest };

[[nodiscard]] const char* name_of(ControlRule rule);
[[nodiscard]] const char* name_of(Isolation isolation);
[[nodiscard]] const char* name_of(Walk walk);
[[nodiscard]] const char* name_of(CatchUp catch_up);

/// Three quarters of this host's memory in bytes: what one build or launch may take without a setting.
[[nodiscard]] std::uint64_t share_of_memory();

/// "20G", "512M" or a plain number of bytes; K, M, G and T are powers of 1024. Throws InputError.
[[nodiscard]] std::uint64_t bytes(std::string_view text);

using Seconds = std::chrono::duration<double>;
using Path = std::filesystem::path;
using Paths = std::vector<std::filesystem::path>;
using Names = std::vector<std::string>;
using Texts = std::map<std::string, std::string>;

// The members of the next structs, their defaults and what they mean are in config/settings.def. Texts and
// paths that are empty, and maps and lists without entries, were not said.

/// One branch of one repository under one framework. Paths are absolute.
struct WatchSettings {
#define WATCH(type, name, value, check, use, help) type name = value;
#include "config/settings.def"

  std::string source;  ///< "FILE:LINE:COLUMN" of the watch, or empty when flags made it
};

/// What FAI-PEP's harness is told beside what to measure.
struct HarnessSettings {
#define HARNESS(type, name, value, check, use, help) type name = value;
#include "config/settings.def"
};

/// Everything the daemon is told, complete and checked. Only `merge` makes one.
struct Settings {
#define SETTING(type, name, value, check, use, help) type name = value;
#include "config/settings.def"

  HarnessSettings harness;
  std::vector<WatchSettings> watches;  ///< at least one
};

/// What one source says about a watch; what is not said stays empty.
struct WatchOverrides {
#define WATCH(type, name, value, check, use, help) std::optional<type> name;
#include "config/settings.def"
};

struct HarnessOverrides {
#define HARNESS(type, name, value, check, use, help) std::optional<type> name;
#include "config/settings.def"
};

/// What one source says: the command line, or a config file beside its watches.
struct Overrides : WatchOverrides {
#define SETTING(type, name, value, check, use, help) std::optional<type> name;
#include "config/settings.def"

  HarnessOverrides harness;
};

/// What a config file says: paths already relative to its folder, values already checked one by one.
struct ConfigFile {
  struct Watch : WatchOverrides {
    std::string source;  ///< "FILE:LINE:COLUMN"
  };
  std::filesystem::path file;
  Overrides top;  ///< its watch fields stay empty
  std::vector<Watch> watches;
};

/// Defaults, then the config file, then the flags. Throws InputError with a sentence to act on.
///
/// Without watches in a file the flags make one. With one watch in the file every flag changes it. With
/// several, the flags that say how to measure apply to all of them, and those that say what to watch (name,
/// repo_dir, branch, commit, …) are refused, because they can only be meant for one.
[[nodiscard]] Settings merge(const std::optional<ConfigFile>& file, const Overrides& flags,
                             const StateDirPlaces& places = StateDirPlaces::of_this_process());

/// The same for one run by hand: its one watch need not say what is watched, because executables may be
/// given.
[[nodiscard]] Settings merge_for_run(const std::optional<ConfigFile>& file, const Overrides& flags,
                                     const StateDirPlaces& places = StateDirPlaces::of_this_process());

/// What is added to every command with {program}: `command_args`, and the backend as a flag.
[[nodiscard]] std::string added_arguments(const HarnessSettings& settings);

}  // namespace tandem::config
