#include <fmt/format.h>

#include "config/settings.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/commands/requests.hpp"
#include "daemon/records/life.hpp"
#include "daemon/records/record_json.hpp"
#include "daemon/records/wording.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/store/store.hpp"
#include "daemon/walk/publish.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using RecordAction = RecordOptions::Action;

Record found(const store::Store& store, const std::string& id) {
  auto record = store.record(id);
  if (!record) throw InputError(fmt::format("there is no report {}; tandem report lists them", id));
  return std::move(*record);
}

Wish wish_behind(RecordAction action) {
  switch (action) {
    case RecordAction::accept:
      return Wish::accept;
    case RecordAction::call_false_alarm:
      return Wish::call_false_alarm;
    case RecordAction::reopen:
      return Wish::reopen;
    case RecordAction::acknowledge:
    case RecordAction::rerun:
      break;
  }
  return Wish::acknowledge;
}

Request rerun_of(const Record& record, const std::string& by) {
  Request request;
  request.kind = Request::Kind::rerun;
  request.key = record.key;
  request.commit = record.culprit.id;
  request.benchmark = record.benchmark;
  request.record = record.id;
  request.by = by;
  request.at = now_seconds();
  return request;
}

}  // namespace

int run_report_command(const ReportOptions& options) {
  const store::Store store(config::choose_state_dir(options.state_dir) / "tandem.db",
                           store::Store::Mode::read);
  if (!options.id.empty()) {
    const Record record = found(store, options.id);
    show("{}",
         options.format == Format::json ? report::record_json(record) : report::record_markdown(record));
    return 0;
  }
  std::vector<Record> records;
  for (Record& record : store.records({})) {
    const bool slower = record.state != RecordState::noted && record.state != RecordState::superseded;
    if (slower || options.which == ReportOptions::Which::all) records.push_back(std::move(record));
  }
  show("{}", options.format == Format::json ? report::records_json(records) : report::records_table(records));
  return 0;
}

int run_record_command(const RecordOptions& options) {
  const fs::path state_dir = config::choose_state_dir(options.state_dir);
  store::Store store = open_known_store(state_dir);
  const std::string by = options.by.empty() ? user_name() : options.by;
  const Record record = found(store, options.id);
  if (options.action == RecordAction::rerun) {
    queue(store, state_dir, rerun_of(record, by));
    return 0;
  }
  const Publisher publisher(state_dir);
  const auto change = [&](Record now) {
    LifeEvent event = wished(now, wish_behind(options.action), by, options.reason, now_seconds());
    return with_event(std::move(now), std::move(event));
  };
  const Record changed = store.save_records({}, {published(publisher, {record.id, change})}).front();
  show("{} is now {}: {} {} since {}\n", changed.id, report::state_words(changed), changed.benchmark,
       report::change_phrase(changed.metric, report::reported_ratio(changed)),
       report::short_commit(changed.culprit.id));
  return 0;
}

}  // namespace tandem::daemon::commands
