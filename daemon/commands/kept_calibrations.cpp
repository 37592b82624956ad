#include "daemon/commands/kept_calibrations.hpp"

#include "config/settings.hpp"
#include "daemon/idle/idle_time.hpp"
#include "daemon/store/store.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::commands {

std::map<std::string, analysis::Calibration> kept_calibrations(
    const std::optional<std::filesystem::path>& state_dir, const std::string& program) {
  std::map<std::string, analysis::Calibration> known;
  try {
    const auto folder = config::choose_state_dir(state_dir);
    const store::Store store(folder / "tandem.db", store::Store::Mode::read);
    for (auto& stored : store.calibrations(WatchKey{calibrated_by_hand, program})) {
      const std::string benchmark = stored.calibration.benchmark;
      known.emplace(benchmark, std::move(stored.calibration));
    }
  } catch (const Error&) {
    known.clear();
  }
  return known;
}

}  // namespace tandem::daemon::commands
