#pragma once

#include <filesystem>
#include <optional>

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
[[nodiscard]] std::filesystem::path choose_state_dir(const std::optional<std::filesystem::path>& flag,
                                                     const std::optional<std::filesystem::path>& configured,
                                                     const StateDirPlaces& places);

}  // namespace tandem::config
