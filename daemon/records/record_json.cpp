#include "daemon/records/record_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "daemon/records/json_values.hpp"
#include "daemon/records/verdict_json.hpp"
#include "daemon/records/wording.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

using analysis::ConfirmationOutcome;

constexpr const char* record_schema = "tandem.report/1";

Json commit_json(const builders::Commit& commit) {
  return {{"commit", commit.id},
          {"subject", commit.subject},
          {"author", commit.author_name},
          {"author_email", commit.author_email},
          {"author_time", iso_time(commit.author_time)},
          {"time", iso_time(commit.committer_time)},
          {"first_parent", commit.first_parent},
          {"tree", commit.tree}};
}

builders::Commit commit_from_json(const Json& value) {
  builders::Commit commit;
  commit.id = text_at(value, "commit");
  commit.subject = text_at(value, "subject");
  commit.author_name = text_at(value, "author");
  commit.author_email = text_at(value, "author_email");
  commit.author_time = time_at(value, "author_time");
  commit.committer_time = time_at(value, "time");
  commit.first_parent = text_at(value, "first_parent");
  commit.tree = text_at(value, "tree");
  return commit;
}

Json culprit_json(const Record& record) {
  Json value = commit_json(record.culprit);
  value["probability"] = record.culprit_probability;
  value["patch"] = record.culprit_patch;
  return value;
}

Json life_json(const std::vector<LifeEvent>& life) {
  Json list = Json::array();
  for (const LifeEvent& event : life) {
    list.push_back({{"state", name_of(event.state)},
                    {"at", iso_time(event.at)},
                    {"by", event.by},
                    {"reason", event.reason},
                    {"commit", event.commit}});
  }
  return list;
}

RecordState state_at(const Json& object) {
  return choice_at(object, "state",
                   {RecordState::open, RecordState::acknowledged, RecordState::partly_fixed,
                    RecordState::fixed, RecordState::recovered, RecordState::accepted,
                    RecordState::false_alarm, RecordState::superseded, RecordState::noted},
                   [](RecordState one) { return daemon::name_of(one); });
}

std::vector<LifeEvent> life_from_json(const Json& list) {
  std::vector<LifeEvent> life;
  for (const Json& value : list) {
    life.push_back({state_at(value), time_at(value, "at"), text_at(value, "by"), text_at(value, "reason"),
                    text_at(value, "commit")});
  }
  return life;
}

Json confirmation_json(const ConfirmationRecord& confirmation) {
  const analysis::ConfirmationResult& result = confirmation.result;
  return {{"control", confirmation.control},
          {"treatment", confirmation.treatment},
          {"outcome", analysis::name_of(result.outcome)},
          {"ratio", to_json(result.ratio)},
          {"p_value", result.p_value},
          {"units", result.units},
          {"next_look", result.next_look},
          {"unit_values", confirmation.units},
          {"as_built_values", confirmation.as_built},
          {"relinked", confirmation.relinked},
          {"exact", confirmation.exact},
          {"failure", confirmation.failure},
          {"tries", confirmation.tries},
          {"minimum_effect", confirmation.minimum_effect},
          {"seconds", confirmation.seconds}};
}

ConfirmationRecord confirmation_from_json(const Json& value) {
  ConfirmationRecord confirmation;
  confirmation.control = text_at(value, "control");
  confirmation.treatment = text_at(value, "treatment");
  confirmation.result.outcome =
      choice_at(value, "outcome",
                {ConfirmationOutcome::confirmed, ConfirmationOutcome::not_reproduced,
                 ConfirmationOutcome::undecided_more, ConfirmationOutcome::failed},
                [](ConfirmationOutcome one) { return analysis::name_of(one); });
  confirmation.result.ratio = ratio_from_json(member(value, "ratio"));
  confirmation.result.p_value = number_at(value, "p_value");
  confirmation.result.units = count_at(value, "units");
  confirmation.result.next_look = count_at(value, "next_look");
  confirmation.units = numbers_at(value, "unit_values");
  // Reports of earlier versions have none.
  if (value.contains("as_built_values")) confirmation.as_built = numbers_at(value, "as_built_values");
  confirmation.relinked = value.value("relinked", false);
  confirmation.exact = value.value("exact", false);
  confirmation.failure = value.value("failure", std::string());
  confirmation.tries = value.value("tries", std::size_t{1});
  confirmation.minimum_effect = number_at(value, "minimum_effect");
  confirmation.seconds = number_at(value, "seconds");
  return confirmation;
}

constexpr std::string_view unresolved_layout = "unresolved";

/// "8 per side", or "unresolved", followed by ": " and why.
std::string layout_text(const LayoutFacts& layout) {
  if (layout.resolution == LayoutFacts::Resolution::resolved) return layout.words;
  return std::string(unresolved_layout) + (layout.words.empty() ? "" : ": " + layout.words);
}

LayoutFacts layout_from_text(const std::string& text) {
  if (!text.starts_with(unresolved_layout)) return {LayoutFacts::Resolution::resolved, text};
  const std::size_t why = unresolved_layout.size() + 2;
  return {LayoutFacts::Resolution::unresolved, text.size() > why ? text.substr(why) : ""};
}

Json search_json(const SearchRecord& search) {
  return {{"commits", search.commits}, {"measurements", search.measurements}, {"broken", search.broken}};
}

Json retests_json(const std::vector<Retest>& retests) {
  Json list = Json::array();
  for (const Retest& retest : retests) {
    list.push_back({{"at", iso_time(retest.at)},
                    {"control", retest.control},
                    {"treatment", retest.treatment},
                    {"outcome", analysis::name_of(retest.outcome)},
                    {"ratio", to_json(retest.ratio)}});
  }
  return list;
}

const Json& array_at(const Json& object, const char* name) {
  const Json& list = member(object, name);
  if (!list.is_array()) throw Error(fmt::format("\"{}\" must be an array", name));
  return list;
}

/// Numbers are written so that they read back as the same bits: a screen goes on as if it had not stopped.
Json history_json(const analysis::ScreenHistory& history) {
  if (history.launches.empty()) return {};
  Json launches = Json::array();
  for (const auto& launch : history.launches) {
    launches.push_back(launch ? Json{launch->median, launch->total} : Json());
  }
  const auto& settings = history.settings;
  return {{"margin", settings.margin},
          {"prior_sigma", settings.prior_sigma},
          {"prior_sigma_total", settings.prior_sigma_total ? Json(*settings.prior_sigma_total) : Json()},
          {"max_launches", settings.max_launches},
          {"launches", std::move(launches)}};
}

analysis::ScreenHistory history_from_json(const Json& value) {
  analysis::ScreenHistory history;
  history.settings.margin = number_at(value, "margin");
  history.settings.prior_sigma = number_at(value, "prior_sigma");
  if (!member(value, "prior_sigma_total").is_null()) {
    history.settings.prior_sigma_total = number_at(value, "prior_sigma_total");
  }
  history.settings.max_launches = count_at(value, "max_launches");
  for (const Json& one : array_at(value, "launches")) {
    history.launches.emplace_back();
    if (one.is_null()) continue;
    if (!one.is_array() || one.size() != 2 || !one[0].is_number() || !one[1].is_number()) {
      throw Error("\"launches\" must hold pairs of numbers");
    }
    history.launches.back() = {one[0].get<double>(), one[1].get<double>()};
  }
  return history;
}

Json fix_json(const std::optional<FixTrial>& fix) {
  if (!fix) return {};
  return {{"commit", fix->commit},
          {"control", fix->control},
          {"treatment", fix->treatment},
          {"outcome", name_of(fix->outcome)},
          {"ratio", to_json(fix->ratio)},
          {"at", iso_time(fix->at)},
          {"why", fix->why},
          {"basis", name_of(fix->basis)},
          {"tries", fix->tries},
          {"screen", history_json(fix->screen)}};
}

FixTrial fix_from_json(const Json& value) {
  FixTrial fix;
  fix.commit = text_at(value, "commit");
  fix.control = text_at(value, "control");
  fix.treatment = text_at(value, "treatment");
  fix.outcome = choice_at(
      value, "outcome",
      {FixOutcome::gone, FixOutcome::faster, FixOutcome::left, FixOutcome::hidden, FixOutcome::not_measured},
      [](FixOutcome one) { return daemon::name_of(one); });
  fix.ratio = ratio_from_json(member(value, "ratio"));
  fix.at = time_at(value, "at");
  fix.why = text_at(value, "why");
  // Reports of earlier versions do not have these.
  if (value.contains("basis")) {
    fix.basis = choice_at(value, "basis", {FixBasis::named, FixBasis::size, FixBasis::alone},
                          [](FixBasis one) { return daemon::name_of(one); });
  }
  if (value.contains("tries")) fix.tries = count_at(value, "tries");
  if (value.contains("screen") && !value.at("screen").is_null()) {
    fix.screen = history_from_json(value.at("screen"));
  }
  return fix;
}

Json sightings_json(const std::vector<Sighting>& sightings) {
  Json list = Json::array();
  for (const Sighting& sighting : sightings) {
    list.push_back({{"commit", sighting.commit}, {"log_ratio", sighting.log_ratio}});
  }
  return list;
}

/// What reports of earlier versions do not have.
Json isolation_json(const runners::IsolationFacts& isolation) {
  return {{"kind", runners::name_of(isolation.kind)}, {"call_filter", isolation.call_filter}};
}

runners::IsolationFacts isolation_from_json(const Json& value) {
  using Kind = runners::IsolationFacts::Kind;
  const Json& filter = member(value, "call_filter");
  return {choice_at(value, "kind", {Kind::unknown, Kind::sandbox, Kind::other_user, Kind::same_user},
                    [](Kind one) { return runners::name_of(one); }),
          filter.is_boolean() && filter.get<bool>()};
}

void read_later_fields(const Json& value, Record& record) {
  if (value.contains("isolation")) record.isolation = isolation_from_json(member(value, "isolation"));
  if (value.contains("margin_why")) record.margin_why = text_at(value, "margin_why");
  const Json& culprit = member(value, "culprit");
  if (culprit.contains("patch")) record.culprit_patch = text_at(culprit, "patch");
  if (value.contains("search")) {
    const Json& search = member(value, "search");
    record.search = {count_at(search, "commits"), count_at(search, "measurements"),
                     texts_at(search, "broken")};
  }
  if (value.contains("remaining") && !value.at("remaining").is_null()) {
    record.remaining = number_at(value, "remaining");
  }
  if (value.contains("fix") && !value.at("fix").is_null()) record.fix = fix_from_json(value.at("fix"));
  if (value.contains("q_value")) record.q_value = number_at(value, "q_value");
  if (value.contains("retests")) {
    for (const Json& one : array_at(value, "retests")) {
      record.retests.push_back({time_at(one, "at"), text_at(one, "control"), text_at(one, "treatment"),
                                outcome_at(one, "outcome"), ratio_from_json(member(one, "ratio"))});
    }
  }
  if (value.contains("sightings")) {
    for (const Json& one : array_at(value, "sightings")) {
      record.sightings.push_back({text_at(one, "commit"), number_at(one, "log_ratio")});
    }
  }
}

Json json_of(const Record& record) {
  return {{"schema", record_schema},
          {"id", record.id},
          {"incident", record.incident},
          {"kind", name_of(record.kind)},
          {"state", name_of(record.state)},
          {"life", life_json(record.life)},
          {"watch", record.key.watch},
          {"platform", record.key.platform},
          {"url", record.url},
          {"benchmark", record.benchmark},
          {"metric", record.metric.name},
          {"unit", record.metric.unit},
          {"direction", name_of(record.metric.direction)},
          {"protocol", runners::name_of(record.protocol)},
          {"margin", record.margin},
          {"margin_why", record.margin_why},
          {"control", commit_json(record.control)},
          {"treatment", commit_json(record.treatment)},
          {"culprit", culprit_json(record)},
          {"co_suspects", record.co_suspects},
          {"search", search_json(record.search)},
          {"ratio", to_json(record.ratio)},
          {"remaining", record.remaining ? Json(*record.remaining) : Json()},
          {"fix", fix_json(record.fix)},
          {"q_value", record.q_value},
          {"screen", to_json(record.screen)},
          {"confirmation", confirmation_json(record.confirmation)},
          {"retests", retests_json(record.retests)},
          {"sightings", sightings_json(record.sightings)},
          {"layout", layout_text(record.layout)},
          {"host", to_json(record.host)},
          {"isolation", isolation_json(record.isolation)},
          {"build", {{"control", record.control_build}, {"treatment", record.treatment_build}}},
          {"cause", nullptr},
          {"reproduce", {{"command", shell_command(record.reproduce)}, {"argv", record.reproduce}}}};
}

Record record_of(const Json& value) {
  if (const std::string found = text_at(value, "schema"); found != record_schema) {
    throw Error(fmt::format("its schema is \"{}\", not \"{}\"", found, record_schema));
  }
  Record record;
  record.id = text_at(value, "id");
  record.incident = text_at(value, "incident");
  record.kind =
      choice_at(value, "kind",
                {RecordKind::regression, RecordKind::improvement, RecordKind::accumulated, RecordKind::layout,
                 RecordKind::not_reproduced, RecordKind::postponed, RecordKind::unconfirmed},
                [](RecordKind one) { return daemon::name_of(one); });
  record.state = state_at(value);
  record.life = life_from_json(array_at(value, "life"));
  record.key = {text_at(value, "watch"), text_at(value, "platform")};
  record.url = text_at(value, "url");
  record.benchmark = text_at(value, "benchmark");
  record.metric = {text_at(value, "metric"), text_at(value, "unit"), direction_at(value, "direction")};
  using runners::Protocol;
  record.protocol = choice_at(value, "protocol",
                              {Protocol::slices, Protocol::observer, Protocol::google_benchmark,
                               Protocol::benchdnn, Protocol::command},
                              [](Protocol one) { return runners::name_of(one); });
  record.margin = number_at(value, "margin");
  record.control = commit_from_json(member(value, "control"));
  record.treatment = commit_from_json(member(value, "treatment"));
  record.culprit = commit_from_json(member(value, "culprit"));
  record.culprit_probability = number_at(member(value, "culprit"), "probability");
  record.co_suspects = texts_at(value, "co_suspects");
  record.ratio = ratio_from_json(member(value, "ratio"));
  record.screen = verdict_from_json(member(value, "screen"));
  record.confirmation = confirmation_from_json(member(value, "confirmation"));
  record.layout = layout_from_text(text_at(value, "layout"));
  record.host = machine_facts_from_json(member(value, "host"));
  record.control_build = text_at(member(value, "build"), "control");
  record.treatment_build = text_at(member(value, "build"), "treatment");
  record.reproduce = texts_at(member(value, "reproduce"), "argv");
  read_later_fields(value, record);
  return record;
}

}  // namespace

std::string record_json(const Record& record) {
  return document_text(json_of(record));
}

Record record_from_json(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw Error("a report cannot be read: it is not JSON");
  try {
    return record_of(value);
  } catch (const std::exception& error) {
    // The JSON library has exceptions of its own for a value of another type.
    throw Error(fmt::format("a report cannot be read: {}", error.what()));
  }
}

std::string records_json(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const Record& record : records) list.push_back(json_of(record));
  return document_text(list);
}

}  // namespace tandem::daemon::report
