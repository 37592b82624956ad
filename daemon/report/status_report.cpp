#include "daemon/report/status_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/records/wording.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

using nlohmann::ordered_json;

ordered_json verdicts_json(const Status& status) {
  ordered_json list = ordered_json::array();
  for (const auto& one : status.last_verdicts) {
    list.push_back({{"platform", one.platform},
                    {"commit", one.commit},
                    {"benchmark", one.benchmark},
                    {"outcome", one.outcome},
                    {"sentence", one.sentence}});
  }
  return list;
}

ordered_json builds_json(const Status& status) {
  ordered_json list = ordered_json::array();
  for (const auto& one : status.failed_builds) {
    list.push_back({{"platform", one.platform},
                    {"commit", one.commit},
                    {"kind", one.kind},
                    {"sentence", one.sentence},
                    {"log", one.log},
                    {"last_lines", one.last_lines}});
  }
  return list;
}

ordered_json unconfirmed_json(const Status& status) {
  ordered_json all = ordered_json::array();
  for (const auto& one : status.unconfirmed) {
    all.push_back({{"id", one.id},
                   {"benchmark", one.benchmark},
                   {"commit", one.commit},
                   {"tries", one.tries},
                   {"most_tries", one.most_tries},
                   {"sentence", one.sentence}});
  }
  return all;
}

ordered_json waiting_json(const Status& status) {
  ordered_json list = ordered_json::array();
  for (const auto& one : status.waiting_commits) {
    list.push_back({{"watch", one.watch},
                    {"platform", one.platform},
                    {"commit", one.commit},
                    {"kind", one.kind},
                    {"sentence", one.sentence},
                    {"tries", one.tries},
                    {"next_at", iso_time(one.due)}});
  }
  return list;
}

ordered_json drift_json(const Status& status) {
  ordered_json list = ordered_json::array();
  for (const auto& one : status.drift) {
    list.push_back({{"watch", one.watch},
                    {"platform", one.platform},
                    {"benchmark", one.benchmark},
                    {"span", one.span},
                    {"anchor", one.anchor},
                    {"commit", one.commit},
                    {"cost_ratio", one.cost_ratio}});
  }
  return list;
}

ordered_json queue_json(const Status& status) {
  ordered_json list = ordered_json::array();
  for (const auto& one : status.requests) {
    list.push_back({{"id", one.id},
                    {"kind", one.kind},
                    {"watch", one.watch},
                    {"commit", one.commit},
                    {"by", one.by},
                    {"at", iso_time(one.at)},
                    {"seconds_waiting", std::max<std::int64_t>(0, status.updated_at - one.at)}});
  }
  return list;
}

ordered_json budget_json(const Status::FalseRecords& budget) {
  return {{"per_month", budget.per_month},
          {"at_most", budget.at_most},
          {"tests_per_month", budget.tests_per_month},
          {"suspect_rate", budget.suspect_rate},
          {"screens", budget.screens},
          {"null_screens", budget.null_screens},
          {"null_suspects", budget.null_suspects}};
}

ordered_json storage_json(const Status& status) {
  ordered_json list = ordered_json::array();
  for (const auto& one : status.storage) {
    list.push_back({{"what", one.what}, {"bytes", one.bytes}, {"rule", one.rule}});
  }
  return list;
}

ordered_json changes_json(const std::vector<Status::Change>& changes) {
  ordered_json list = ordered_json::array();
  for (const auto& one : changes) {
    list.push_back({{"at", iso_time(one.at)}, {"sentence", one.sentence}});
  }
  return list;
}

std::string lines_of(const ordered_json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

/// On one line: a name or a message must not look like a line of ours.
std::string text_of(const ordered_json& object, const char* key) {
  return printable(lines_of(object, key), std::string::npos);
}

/// Of an open regression; there is no ratio to what was 0.
std::string ratio_words(const ordered_json& regression) {
  const auto ratio = regression.value("ratio", ordered_json());
  return ratio.is_number() ? fmt::format("ratio {:.4f}", ratio.get<double>()) : "from 0";
}

/// "1 min", "3 h", "2 days".
std::string age(std::int64_t seconds) {
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} days", seconds / (24 * 3600));
}

/// What stands in the background: the queue, slow changes, the surroundings, and how far all is to be
/// trusted.
std::string text_of_background(const ordered_json& status) {
  std::string text;
  for (const auto& one : status.at("queue")) {
    text += fmt::format("waiting for {}: {} {} of {}, asked by {} (request {})\n",
                        age(one.at("seconds_waiting").get<std::int64_t>()), text_of(one, "kind"),
                        short_commit(text_of(one, "commit")), text_of(one, "watch"), text_of(one, "by"),
                        one.at("id").get<std::int64_t>());
  }
  for (const auto& one : status.at("drift")) {
    const double ratio = one.at("cost_ratio").get<double>();
    text +=
        fmt::format("{}: {}{} since the {}'s anchor {}\n", text_of(one, "benchmark"), ratio >= 1 ? "+" : "-",
                    percentage(ratio - 1), text_of(one, "span"), short_commit(text_of(one, "anchor")));
  }
  for (const char* key : {"environment_changes", "notices"}) {
    for (const auto& one : status.at(key)) {
      text += fmt::format("{}: {}\n", text_of(one, "at"), text_of(one, "sentence"));
    }
  }
  const auto& budget = status.at("false_record_budget");
  if (const auto screens = budget.at("screens").get<std::size_t>(); screens > 0) {
    text += fmt::format(
        "expected false records: {:.2g} a month (at most {:.2g}); {} screens, {} suspects of no-change "
        "commits\n",
        budget.at("per_month").get<double>(), budget.at("at_most").get<double>(), screens,
        budget.at("null_suspects").get<std::size_t>());
  }
  return text;
}

std::string text_of_status(const ordered_json& status) {
  std::string text;
  if (text_of(status, "daemon") == name_of(DaemonLife::dead)) {
    text = fmt::format(
        "THE DAEMON IS DEAD: process {} ended without a word after {}; what follows is what it did last\n",
        status.value("pid", 0), text_of(status, "updated_at"));
  }
  text += fmt::format("{} ({}), {}\n", text_of(status, "phase"), text_of(status, "watch"),
                      text_of(status, "updated_at"));
  text += fmt::format("branch {} of {}\n", text_of(status, "branch"), text_of(status, "url"));
  if (status.at("commit").is_object()) {
    text += fmt::format("commit {} {}\n", short_commit(text_of(status.at("commit"), "id")),
                        text_of(status.at("commit"), "subject"));
    const auto& progress = status.at("progress");
    text +=
        fmt::format("  {}: launch {} of at most {}; {} commits left\n", text_of(status, "benchmark"),
                    progress.at("launch").get<std::size_t>(), progress.at("most_launches").get<std::size_t>(),
                    progress.at("commits_left").get<std::size_t>());
  }
  if (!text_of(status, "search").empty()) {
    text += fmt::format("  looking for the culprit: {}\n", text_of(status, "search"));
  }
  if (!text_of(status, "idle_work").empty()) {
    text += fmt::format("  {}: launch {} of at most {}\n", text_of(status, "idle_work"),
                        status.at("progress").at("launch").get<std::size_t>(),
                        status.at("progress").at("most_launches").get<std::size_t>());
  } else if (text_of(status, "phase") == "calibrating") {
    text += fmt::format("  {}: launch {} of about {}\n", text_of(status, "benchmark"),
                        status.at("progress").at("launch").get<std::size_t>(),
                        status.at("progress").at("most_launches").get<std::size_t>());
  }
  if (!text_of(status, "unfit").empty()) {
    text += fmt::format("UNFIT HOST, nothing is recorded: {}\n", text_of(status, "unfit"));
  }
  for (const auto& [benchmark, noise] : status.at("noise_floor").items()) {
    if (text_of(noise, "unfit").empty()) continue;
    text += fmt::format("UNFIT, its changes are not recorded: {}: {}\n",
                        printable(benchmark, std::string::npos), text_of(noise, "unfit"));
  }
  text += fmt::format("open regressions: {}\n", status.at("open_regressions").size());
  for (const auto& one : status.at("open_regressions")) {
    text += fmt::format("  {} {} since {}, {}\n", text_of(one, "id"), text_of(one, "benchmark"),
                        short_commit(text_of(one, "culprit")), ratio_words(one));
  }
  // The status of an earlier version has none.
  for (const auto& one : status.value("unconfirmed", ordered_json::array())) {
    const auto tries = one.at("tries").get<std::size_t>();
    text += fmt::format("  {} {} at {} could not be confirmed, tried {} times{}: {}\n", text_of(one, "id"),
                        text_of(one, "benchmark"), short_commit(text_of(one, "commit")), tries,
                        tries < one.at("most_tries").get<std::size_t>() ? "" : " and no more",
                        text_of(one, "sentence"));
  }
  for (const auto& one : status.at("last_verdicts")) {
    const std::string outcome = text_of(one, "outcome");
    const std::string sentence = text_of(one, "sentence");
    text += fmt::format("  {} {}: {}{}\n", short_commit(text_of(one, "commit")), text_of(one, "benchmark"),
                        sentence.starts_with(outcome) ? "" : outcome + " ", sentence);
  }
  for (const auto& one : status.at("failed_builds")) {
    text += fmt::format("  {} does not build: {}\n", short_commit(text_of(one, "commit")),
                        text_of(one, "sentence"));
    // How the log ends is shown for the newest alone.
    if (&one != &status.at("failed_builds").front()) continue;
    std::istringstream lines(lines_of(one, "last_lines"));
    for (std::string line; std::getline(lines, line);) {
      text += fmt::format("    {}\n", printable(line, std::string::npos));
    }
  }
  // The status of an earlier version has none.
  for (const auto& one : status.value("waiting_commits", ordered_json::array())) {
    text += fmt::format("  {} could not be examined, tried {} times, again at {}: {}\n",
                        short_commit(text_of(one, "commit")), one.at("tries").get<std::size_t>(),
                        text_of(one, "next_at"), text_of(one, "sentence"));
  }
  text += text_of_background(status);
  // A status of an earlier version has neither.
  if (status.contains("kept")) {
    for (const auto& one : status.at("kept")) {
      if (one.is_string()) text += fmt::format("at the start: {}\n", one.get<std::string>());
    }
  }
  if (status.contains("storage")) {
    for (const auto& one : status.at("storage")) {
      text += fmt::format("{}: {:.1f} MiB; {}\n", text_of(one, "what"),
                          one.at("bytes").get<double>() / (1 << 20), text_of(one, "rule"));
    }
  }
  if (const auto& fetch = status.at("fetch"); fetch.at("failures").get<std::size_t>() > 0) {
    text += fmt::format("fetching failed {} times in a row; next try {}\n",
                        fetch.at("failures").get<std::size_t>(), text_of(fetch, "next_at"));
  }
  if (status.at("last_error").is_object()) {
    text += fmt::format("last error, {}: {}\n", text_of(status.at("last_error"), "at"),
                        text_of(status.at("last_error"), "sentence"));
  }
  return text;
}

}  // namespace

std::string status_json(const Status& status) {
  ordered_json regressions = ordered_json::array();
  for (const auto& one : status.open_regressions) {
    regressions.push_back(
        {{"id", one.id},
         {"benchmark", one.benchmark},
         {"culprit", one.culprit},
         {"ratio", std::isfinite(one.ratio) ? ordered_json(one.ratio) : ordered_json(nullptr)}});
  }
  ordered_json noise = ordered_json::object();
  for (const auto& [benchmark, floor] : status.noise_floor) {
    noise[benchmark] = {
        {"sigma", floor.sigma},
        {"minimum_detectable_effect", floor.minimum_detectable_effect},
        {"pairing", floor.pairing.empty() ? ordered_json(nullptr) : ordered_json(floor.pairing)},
        {"unfit", floor.unfit}};
  }
  const bool examining = !status.commit.id.empty();
  const bool known = status.seconds_left >= 0;
  const ordered_json document = {
      {"schema", "tandem.status/1"},
      {"version", status.version},
      {"pid", status.pid},
      {"process", status.process},
      {"updated_at", iso_time(status.updated_at)},
      {"phase", status.phase},
      {"watch", status.watch},
      {"platform", status.platform},
      {"url", status.url},
      {"branch", status.branch},
      {"commit",
       examining ? ordered_json{{"id", status.commit.id}, {"subject", status.commit.subject}} : nullptr},
      {"benchmark", status.benchmark},
      {"search", status.search},
      {"progress",
       {{"launch", status.launch},
        {"most_launches", status.most_launches},
        {"commits_done", status.commits_done},
        {"commits_left", status.commits_left},
        {"seconds_left", known ? ordered_json(status.seconds_left) : ordered_json(nullptr)}}},
      {"isolation", status.isolation},
      {"builds_ahead", status.builds_ahead},
      {"fetch",
       {{"failures", status.fetch_failures},
        {"next_at", status.next_fetch_at > 0 ? ordered_json(iso_time(status.next_fetch_at)) : nullptr}}},
      {"open_regressions", std::move(regressions)},
      {"unconfirmed", unconfirmed_json(status)},
      {"last_verdicts", verdicts_json(status)},
      {"failed_builds", builds_json(status)},
      {"waiting_commits", waiting_json(status)},
      {"noise_floor", std::move(noise)},
      {"unfit", status.unfit},
      {"idle_work", status.idle_work},
      {"queue", queue_json(status)},
      {"drift", drift_json(status)},
      {"environment_changes", changes_json(status.environment_changes)},
      {"notices", changes_json(status.notices)},
      {"kept", status.kept},
      {"storage", storage_json(status)},
      {"false_record_budget", budget_json(status.false_records)},
      {"last_error", status.last_error.empty() ? ordered_json(nullptr)
                                               : ordered_json{{"at", iso_time(status.last_error_at)},
                                                              {"sentence", status.last_error}}}};
  // Nobody reads a name back from here, so what a terminal would obey is left out altogether.
  return printable_text(document.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

const char* name_of(DaemonLife life) {
  switch (life) {
    case DaemonLife::runs:
      return "running";
    case DaemonLife::stopped:
      return "stopped";
    case DaemonLife::dead:
      return "dead";
    case DaemonLife::unknown:
      break;
  }
  return "unknown";
}

StatusProcess process_of(const std::string& json) {
  const ordered_json status = ordered_json::parse(json, nullptr, false);
  StatusProcess process;
  if (!status.is_object()) return process;
  if (status.contains("pid") && status["pid"].is_number_integer()) process.pid = status["pid"].get<int>();
  process.identity = text_of(status, "process");
  process.has_stopped = text_of(status, "phase") == "stopped";
  return process;
}

std::string with_daemon(const std::string& json, DaemonLife life) {
  const ordered_json status = ordered_json::parse(json, nullptr, false);
  if (!status.is_object()) return json;
  ordered_json shown;
  for (const auto& [key, value] : status.items()) {
    shown[key] = value;
    if (key == "pid") shown["daemon"] = name_of(life);
  }
  shown["daemon"] = name_of(life);
  return shown.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string status_text(const std::string& json) {
  constexpr const char* foreign = "the status file is not one of this version";
  const ordered_json status = ordered_json::parse(json, nullptr, false);
  if (!status.is_object() || text_of(status, "schema") != "tandem.status/1") throw Error(foreign);
  try {
    return text_of_status(status);
  } catch (const ordered_json::exception&) {
    throw Error(foreign);
  }
}

std::string status_line(const Status& status) {
  if (status.phase == "calibrating") {
    return fmt::format("calibrating {}: launch {} of about {}", status.benchmark, status.launch,
                       status.most_launches);
  }
  const std::string search =
      status.search.empty() ? "" : fmt::format(", looking for the culprit: {}", status.search);
  if (status.commit.id.empty()) {
    if (status.idle_work.empty()) return status.phase + search;
    return fmt::format("{}: launch {} of at most {}{}", status.idle_work, status.launch, status.most_launches,
                       search);
  }
  std::string line =
      fmt::format("[{}/{}] {} {}", status.commits_done + 1, status.commits_done + status.commits_left,
                  short_commit(status.commit.id), status.phase);
  if (status.phase == "measuring" || status.phase == "confirming") {
    line += fmt::format(" {}: {} of at most {}", status.benchmark, status.launch, status.most_launches);
  }
  line += search;
  if (status.seconds_left >= 0) line += fmt::format(", about {:.0f} s left", status.seconds_left);
  return line;
}

}  // namespace tandem::daemon::report
