#include "config/state_dir.hpp"

#include <unistd.h>

#include <cstdlib>

#include "specs/error.hpp"

namespace tandem::config {
namespace {

std::filesystem::path from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_writable_directory(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

std::filesystem::path tidy(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

}  // namespace

StateDirPlaces StateDirPlaces::of_this_process() {
  StateDirPlaces places;
  places.tandem_state_dir = from_environment("TANDEM_STATE_DIR");
  places.xdg_state_home = from_environment("XDG_STATE_HOME");
  places.home = from_environment("HOME");
  return places;
}

std::filesystem::path choose_state_dir(const std::optional<std::filesystem::path>& flag,
                                       const std::optional<std::filesystem::path>& configured,
                                       const StateDirPlaces& places) {
  if (flag) return tidy(*flag);
  if (!places.tandem_state_dir.empty()) return tidy(places.tandem_state_dir);
  if (configured) return tidy(*configured);
  if (is_writable_directory(places.system_dir)) return tidy(places.system_dir);
  // The XDG base directory specification says to ignore a relative path.
  if (places.xdg_state_home.is_absolute()) return tidy(places.xdg_state_home / "tandem");
  if (places.home.is_absolute()) return tidy(places.home / ".local" / "state" / "tandem");
  throw InputError(
      "there is no state directory: HOME is not set; give --state_dir DIR or set TANDEM_STATE_DIR");
}

}  // namespace tandem::config
