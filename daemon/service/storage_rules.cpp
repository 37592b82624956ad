#include "daemon/service/storage_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "builders/build_failure.hpp"
#include "daemon/service/watch_walk.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

/// Anchors are pinned for a month, controls for a week and the one before it.
constexpr std::int64_t weeks_needed = 6;
constexpr std::int64_t seconds_between = 60 * 60;

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    if (!entry->is_regular_file(gone) || entry->is_symlink(gone)) continue;
    const auto size = entry->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

}  // namespace

std::set<std::string> needed_commits(const Line& line, const std::vector<Record>& records,
                                     const std::string& start, const std::string& base) {
  std::set<std::string> needed = {start, base};
  for (const Record& record : records) {
    if (record.state == RecordState::superseded) continue;
    needed.insert({record.control.id, record.treatment.id, record.culprit.id, record.confirmation.control,
                   record.confirmation.treatment});
    for (const Retest& retest : record.retests) needed.insert({retest.control, retest.treatment});
    for (const Sighting& sighting : record.sightings) needed.insert(sighting.commit);
  }
  for (const std::size_t at : line.tagged) needed.insert(line.commits[at].id);
  for (std::size_t at = line.commits.size(); at > 0; --at) {
    if (line.weeks[at - 1] < line.weeks.back() - weeks_needed) break;
    needed.insert(line.commits[at - 1].id);
  }
  needed.erase("");
  return needed;
}

std::set<std::string> commits_of_living(const store::Store& store) {
  std::set<std::string> needed;
  for (const Record& record : store.living()) {
    needed.insert({record.control.id, record.treatment.id, record.culprit.id, record.confirmation.control,
                   record.confirmation.treatment});
  }
  return needed;
}

std::set<std::string> commits_of_living(const fs::path& database) {
  if (!fs::exists(database)) return {};
  return commits_of_living(store::Store(database, store::Store::Mode::read));
}

void remove_logs(const fs::path& state_dir, const std::string& platform,
                 const std::set<std::string>& commits) {
  for (const std::string& commit : commits) {
    std::error_code ignored;
    fs::remove(builders::build_log(state_dir, commit, platform), ignored);
  }
}

void show_storage(Status& status, const store::Store& store, const config::Settings& settings) {
  const store::StoreSize size = store.size();
  status.storage = {
      {"database", size.bytes,
       fmt::format("{} commits, {} verdicts, {} builds, {} points, {} events; verdicts and builds of the "
                   "newest {} commits and all launches of the newest {} are kept, 2000 points of a drift, "
                   "10000 events, and whatever reports and controls rest on",
                   size.commits, size.verdicts, size.builds, size.points, size.events, settings.keep_commits,
                   settings.keep_samples)},
      {"build logs", bytes_below(settings.state_dir / "logs"),
       fmt::format("those of the newest {} builds of a platform are kept", settings.keep_logs)},
      {"mirrors", bytes_below(settings.state_dir / "mirrors"),
       "as large as the history of the branches; nothing is dropped, because records name its commits"},
      {"executables", bytes_below(settings.exec_dir),
       settings.cache_budget == 0 ? std::string("no limit")
                                  : fmt::format("at most {} bytes, the least recently used are dropped first",
                                                settings.cache_budget)}};
}

void WatchWalk::forget_old(Platform& platform) {
  const std::int64_t now = now_seconds();
  if (!platform.line || now - platform.forgot_at < seconds_between) return;
  platform.forgot_at = now;
  try {
    store::Keeping keeping;
    for (const builders::Commit& commit : platform.line->commits) keeping.line.push_back(commit.id);
    keeping.needed = needed_commits(*platform.line, store_.records({platform.key, {}, {}, {}}),
                                    store_.start(platform.key).value_or(""),
                                    platform.pipeline->steps().settings.base_commit);
    keeping.commits = static_cast<std::size_t>(settings_.keep_commits);
    keeping.samples = static_cast<std::size_t>(settings_.keep_samples);
    keeping.logs = static_cast<std::size_t>(settings_.keep_logs);
    remove_logs(settings_.state_dir, platform.key.platform, store_.forget_old(platform.key, keeping));
    store_.compact();
  } catch (const Error& error) {
    fail("store", error.what());
  }
}

}  // namespace tandem::daemon
