#include "daemon/report/status_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

template <class All, class ToJson>
ordered_json list_of(const All& all, ToJson to_json) {
  ordered_json list = ordered_json::array();
  for (const auto& one : all) list.push_back(to_json(one));
  return list;
}

ordered_json change_json(const Status::Change& change) {
  return {{"at", iso_time(change.at)}, {"sentence", change.sentence}};
}

std::string lines_of(const ordered_json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

/// On one line: a name or a message must not look like a line of ours.
std::string text_of(const ordered_json& object, const char* key) {
  return printable(lines_of(object, key), std::string::npos);
}

std::string commit_of(const ordered_json& object, const char* key) {
  return short_commit(text_of(object, key));
}

/// "launch 7 of at most 66".
std::string launch_phrase(const ordered_json& status, const char* of) {
  const auto& progress = status.at("progress");
  return fmt::format("launch {} of {} {}", progress.at("launch").get<std::size_t>(), of,
                     progress.at("most_launches").get<std::size_t>());
}

/// A status that an earlier version wrote may be without it.
ordered_json later_list(const ordered_json& status, const char* key) {
  return status.value(key, ordered_json::array());
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

/// The queue, drifts, changes of the host, and how many records are expected to be false.
std::string text_of_background(const ordered_json& status) {
  std::string text;
  for (const auto& one : status.at("queue")) {
    text += fmt::format("waiting for {}: {} {} of {}, asked by {} (request {})\n",
                        age(one.at("seconds_waiting").get<std::int64_t>()), text_of(one, "kind"),
                        commit_of(one, "commit"), text_of(one, "watch"), text_of(one, "by"),
                        one.at("id").get<std::int64_t>());
  }
  for (const auto& one : status.at("drift")) {
    const double ratio = one.at("cost_ratio").get<double>();
    text +=
        fmt::format("{}: {}{} since the {}'s anchor {}\n", text_of(one, "benchmark"), ratio >= 1 ? "+" : "-",
                    percentage(ratio - 1), text_of(one, "span"), commit_of(one, "anchor"));
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

/// What is done now, and why nothing may be.
std::string text_of_work(const ordered_json& status) {
  std::string text;
  if (status.at("commit").is_object()) {
    text += fmt::format("commit {} {}\n  {}: {}; {} commits left\n", commit_of(status.at("commit"), "id"),
                        text_of(status.at("commit"), "subject"), text_of(status, "benchmark"),
                        launch_phrase(status, "at most"),
                        status.at("progress").at("commits_left").get<std::size_t>());
  }
  if (!text_of(status, "search").empty()) {
    text += fmt::format("  looking for the culprit: {}\n", text_of(status, "search"));
  }
  if (!text_of(status, "idle_work").empty()) {
    text += fmt::format("  {}: {}\n", text_of(status, "idle_work"), launch_phrase(status, "at most"));
  } else if (text_of(status, "phase") == "calibrating") {
    text += fmt::format("  {}: {}\n", text_of(status, "benchmark"), launch_phrase(status, "about"));
  }
  if (!text_of(status, "unfit").empty()) {
    text += fmt::format("UNFIT HOST, nothing is recorded: {}\n", text_of(status, "unfit"));
  }
  for (const auto& [benchmark, noise] : status.at("noise_floor").items()) {
    if (text_of(noise, "unfit").empty()) continue;
    text += fmt::format("UNFIT, its changes are not recorded: {}: {}\n",
                        printable(benchmark, std::string::npos), text_of(noise, "unfit"));
  }
  return text;
}

/// What was found last.
std::string text_of_results(const ordered_json& status) {
  std::string text = fmt::format("open regressions: {}\n", status.at("open_regressions").size());
  for (const auto& one : status.at("open_regressions")) {
    text += fmt::format("  {} {} since {}, {}\n", text_of(one, "id"), text_of(one, "benchmark"),
                        commit_of(one, "culprit"), ratio_words(one));
  }
  for (const auto& one : later_list(status, "unconfirmed")) {
    const auto tries = one.at("tries").get<std::size_t>();
    text += fmt::format("  {} {} at {} could not be confirmed, tried {} times{}: {}\n", text_of(one, "id"),
                        text_of(one, "benchmark"), commit_of(one, "commit"), tries,
                        tries < one.at("most_tries").get<std::size_t>() ? "" : " and no more",
                        text_of(one, "sentence"));
  }
  for (const auto& one : status.at("last_verdicts")) {
    const std::string outcome = text_of(one, "outcome");
    const std::string sentence = text_of(one, "sentence");
    text += fmt::format("  {} {}: {}{}\n", commit_of(one, "commit"), text_of(one, "benchmark"),
                        sentence.starts_with(outcome) ? "" : outcome + " ", sentence);
  }
  for (const auto& one : status.at("failed_builds")) {
    text += fmt::format("  {} does not build: {}\n", commit_of(one, "commit"), text_of(one, "sentence"));
    // How the log ends is shown for the newest alone.
    if (&one != &status.at("failed_builds").front()) continue;
    std::istringstream lines(lines_of(one, "last_lines"));
    for (std::string line; std::getline(lines, line);) {
      text += fmt::format("    {}\n", printable(line, std::string::npos));
    }
  }
  for (const auto& one : later_list(status, "waiting_commits")) {
    text +=
        fmt::format("  {} could not be examined, tried {} times, again at {}: {}\n", commit_of(one, "commit"),
                    one.at("tries").get<std::size_t>(), text_of(one, "next_at"), text_of(one, "sentence"));
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
  text += fmt::format("{} ({}), {}\nbranch {} of {}\n", text_of(status, "phase"), text_of(status, "watch"),
                      text_of(status, "updated_at"), text_of(status, "branch"), text_of(status, "url"));
  text += text_of_work(status) + text_of_results(status) + text_of_background(status);
  for (const auto& one : later_list(status, "kept")) {
    if (one.is_string()) text += fmt::format("at the start: {}\n", one.get<std::string>());
  }
  for (const auto& one : later_list(status, "storage")) {
    text += fmt::format("{}: {:.1f} MiB; {}\n", text_of(one, "what"),
                        one.at("bytes").get<double>() / (1 << 20), text_of(one, "rule"));
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
  ordered_json noise = ordered_json::object();
  for (const auto& [benchmark, floor] : status.noise_floor) {
    noise[benchmark] = {
        {"sigma", floor.sigma},
        {"minimum_detectable_effect", floor.minimum_detectable_effect},
        {"pairing", floor.pairing.empty() ? ordered_json(nullptr) : ordered_json(floor.pairing)},
        {"unfit", floor.unfit}};
  }
  const Status::FalseRecords& budget = status.false_records;
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
      {"open_regressions", list_of(status.open_regressions,
                                   [](const Status::OpenRegression& one) -> ordered_json {
                                     return {{"id", one.id},
                                             {"benchmark", one.benchmark},
                                             {"culprit", one.culprit},
                                             {"ratio", std::isfinite(one.ratio) ? ordered_json(one.ratio)
                                                                                : ordered_json(nullptr)}};
                                   })},
      {"unconfirmed",
       list_of(status.unconfirmed,
               [](const Status::Unconfirmed& one) -> ordered_json {
                 return {{"id", one.id},       {"benchmark", one.benchmark},   {"commit", one.commit},
                         {"tries", one.tries}, {"most_tries", one.most_tries}, {"sentence", one.sentence}};
               })},
      {"last_verdicts", list_of(status.last_verdicts,
                                [](const Status::LastVerdict& one) -> ordered_json {
                                  return {{"platform", one.platform},
                                          {"commit", one.commit},
                                          {"benchmark", one.benchmark},
                                          {"outcome", one.outcome},
                                          {"sentence", one.sentence}};
                                })},
      {"failed_builds", list_of(status.failed_builds,
                                [](const Status::FailedBuild& one) -> ordered_json {
                                  return {{"platform", one.platform}, {"commit", one.commit},
                                          {"kind", one.kind},         {"sentence", one.sentence},
                                          {"log", one.log},           {"last_lines", one.last_lines}};
                                })},
      {"waiting_commits", list_of(status.waiting_commits,
                                  [](const Status::WaitingCommit& one) -> ordered_json {
                                    return {{"watch", one.watch},          {"platform", one.platform},
                                            {"commit", one.commit},        {"kind", one.kind},
                                            {"sentence", one.sentence},    {"tries", one.tries},
                                            {"next_at", iso_time(one.due)}};
                                  })},
      {"noise_floor", std::move(noise)},
      {"unfit", status.unfit},
      {"idle_work", status.idle_work},
      {"queue", list_of(status.requests,
                        [&](const Status::Waiting& one) -> ordered_json {
                          return {{"id", one.id},
                                  {"kind", one.kind},
                                  {"watch", one.watch},
                                  {"commit", one.commit},
                                  {"by", one.by},
                                  {"at", iso_time(one.at)},
                                  {"seconds_waiting", std::max<std::int64_t>(0, status.updated_at - one.at)}};
                        })},
      {"drift", list_of(status.drift,
                        [](const Status::Drift& one) -> ordered_json {
                          return {{"watch", one.watch},          {"platform", one.platform},
                                  {"benchmark", one.benchmark},  {"span", one.span},
                                  {"anchor", one.anchor},        {"commit", one.commit},
                                  {"cost_ratio", one.cost_ratio}};
                        })},
      {"environment_changes", list_of(status.environment_changes, change_json)},
      {"notices", list_of(status.notices, change_json)},
      {"kept", status.kept},
      {"storage", list_of(status.storage,
                          [](const Status::Storage& one) -> ordered_json {
                            return {{"what", one.what}, {"bytes", one.bytes}, {"rule", one.rule}};
                          })},
      {"false_record_budget",
       {{"per_month", budget.per_month},
        {"at_most", budget.at_most},
        {"tests_per_month", budget.tests_per_month},
        {"suspect_rate", budget.suspect_rate},
        {"screens", budget.screens},
        {"null_screens", budget.null_screens},
        {"null_suspects", budget.null_suspects}}},
      {"last_error", status.last_error.empty() ? ordered_json(nullptr)
                                               : ordered_json{{"at", iso_time(status.last_error_at)},
                                                              {"sentence", status.last_error}}}};
  // Nobody reads a name back from here, so what a terminal would obey is left out altogether.
  return printable_text(document.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

const char* name_of(DaemonLife life) {
  constexpr std::array names = {"running", "stopped", "dead", "unknown"};
  return names.at(static_cast<std::size_t>(life));
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
