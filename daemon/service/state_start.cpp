#include "daemon/service/state_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "daemon/records/record_json.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/service/state_directory.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_check{30};
constexpr std::uintmax_t most_report_bytes = 64 << 20;
constexpr std::size_t id_digits = 16;

bool is_record_id(const std::string& name) {
  return name.size() == id_digits && name.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// Gives the file and its log another name; where they lie now.
fs::path set_aside(const fs::path& file, std::int64_t now) {
  fs::path aside;
  for (int i = 0; aside.empty() || fs::exists(aside); ++i) {
    aside = fmt::format("{}.damaged-{}{}", file.string(), now, i == 0 ? "" : fmt::format("-{}", i));
  }
  for (const char* ending : {"-wal", "-shm", ""}) {
    std::error_code error;
    fs::rename(file.string() + ending, aside.string() + ending, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      throw Error(fmt::format("{} is damaged and cannot be set aside: {}", file.string(), error.message()));
    }
  }
  return aside;
}

/// The reports whose folders could be of us, by their names.
std::vector<fs::path> report_folders(const fs::path& reports) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(reports, error)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// The record in a folder that the store does not know. Throws Error.
Record read_report(const fs::path& folder) {
  const auto text = read_small_file(folder / "report.json", most_report_bytes);
  if (!text) throw Error("there is no report.json that can be read");
  Record record = report::record_from_json(*text);
  if (record.id != folder.filename()) throw Error("it is the report " + record.id);
  return record;
}

/// Whether a person made it: by its state where an account has the name of the program.
bool is_of_a_person(const LifeEvent& event) {
  return event.by != "tandem" || event.state == RecordState::acknowledged ||
         event.state == RecordState::accepted || event.state == RecordState::false_alarm;
}

bool is_same(const LifeEvent& one, const LifeEvent& other) {
  return one.state == other.state && one.at == other.at && one.by == other.by && one.reason == other.reason &&
         one.commit == other.commit;
}

/// The record with what persons said later, which only its report knows: the store is an older one. Nothing:
/// the report says no more. What tandem itself added is not taken over, for a crash may have left it in the
/// report alone, and the step that it belongs to is repeated.
std::optional<Record> with_later_words(const Record& record, const std::string& json,
                                       const fs::path& folder) {
  Record told;
  try {
    told = read_report(folder);
  } catch (const Error&) {
    return std::nullopt;
  }
  // Not every text is the same after it was JSON.
  const std::vector<LifeEvent> known = report::record_from_json(json).life;
  if (told.life.size() <= known.size()) return std::nullopt;
  if (!std::equal(known.begin(), known.end(), told.life.begin(), is_same)) return std::nullopt;
  while (told.life.size() > known.size() && !is_of_a_person(told.life.back())) told.life.pop_back();
  if (told.life.size() == known.size()) return std::nullopt;
  Record later = record;
  later.life.insert(later.life.end(), told.life.begin() + static_cast<std::ptrdiff_t>(known.size()),
                    told.life.end());
  later.state = later.life.back().state;
  return later;
}

}  // namespace

OpenedStore open_store(const fs::path& state_dir, std::int64_t now) {
  const fs::path file = state_dir / "tandem.db";
  OpenedStore opened;
  try {
    opened.store = std::make_unique<store::Store>(file, store::Store::Mode::write);
    if (opened.store->check(longest_check) == store::Store::Soundness::not_finished) {
      opened.notices.push_back(
          fmt::format("{} could not be looked through in {} s", file.string(), longest_check.count()));
    }
  } catch (const store::DamagedStore& damage) {
    opened.store.reset();
    const fs::path aside = set_aside(file, now);
    opened.store = std::make_unique<store::Store>(file, store::Store::Mode::write);
    opened.notices = {fmt::format("{}; it was set aside as {}, and a new one was begun", damage.what(),
                                  aside.filename().string())};
  }
  for (const std::string& notice : opened.notices) opened.store->add_event({"", "store", notice, now});
  return opened;
}

std::vector<std::string> restore_reports(const Publisher& publisher, store::Store& store, std::int64_t now) {
  std::vector<std::string> notices;
  std::set<std::string> known;
  for (const Record& record : store.records({})) known.insert(record.id);
  std::size_t imported = 0;
  const std::string store_id = store.id();
  for (const fs::path& folder : report_folders(publisher.state_dir() / "reports")) {
    const std::string id = folder.filename();
    if (known.contains(id)) continue;
    std::error_code error;
    const bool could_be_ours = is_record_id(id) && fs::is_directory(fs::symlink_status(folder, error));
    if (could_be_ours && publisher.unsaved_by(id) == store_id) {
      publisher.withdraw(id);
      continue;
    }
    try {
      if (!could_be_ours) throw Error("it is no report's folder");
      store.save_records({read_report(folder)}, {});
      ++imported;
    } catch (const Error& failure) {
      notices.push_back(fmt::format("{} is unknown to the store and was kept as it is: {}", folder.string(),
                                    failure.what()));
    }
  }
  if (imported > 0) {
    notices.push_back(fmt::format("{} {} unknown to the store and were read back from {}", imported,
                                  imported == 1 ? "report was" : "reports were",
                                  (publisher.state_dir() / "reports").string()));
  }
  for (Record& record : store.records({})) {
    const fs::path folder = publisher.state_dir() / "reports" / record.id;
    remove_half_written(folder, {"report.json", "report.md"});
    std::string json = report::record_json(record);
    if (auto later = with_later_words(record, json, folder)) {
      record = std::move(*later);
      store.save_records({record}, {});
      json = report::record_json(record);
      notices.push_back(fmt::format("the store was older than the report {}, which is {}: that was read back",
                                    record.id, name_of(record.state)));
    }
    const std::string markdown = report::record_markdown(record);
    if (read_small_file(folder / "report.json", most_report_bytes) != json ||
        read_small_file(folder / "report.md", most_report_bytes) != markdown) {
      publisher.publish(record, json, markdown);
    }
    publisher.saved({record});
  }
  for (const std::string& notice : notices) store.add_event({"", "report", notice, now});
  return notices;
}

}  // namespace tandem::daemon
