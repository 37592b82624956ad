#include "daemon/report/status_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/report/iso_time.hpp"
#include "daemon/report/wording.hpp"
#include "specs/error.hpp"

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

std::string text_of(const ordered_json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : std::string();
}

std::string text_of_status(const ordered_json& status) {
  std::string text = fmt::format("{} ({}), {}\n", text_of(status, "phase"), text_of(status, "watch"),
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
  if (text_of(status, "phase") == "calibrating") {
    text += fmt::format("  {}: launch {} of about {}\n", text_of(status, "benchmark"),
                        status.at("progress").at("launch").get<std::size_t>(),
                        status.at("progress").at("most_launches").get<std::size_t>());
  }
  if (!text_of(status, "unfit").empty()) {
    text += fmt::format("UNFIT HOST, nothing is recorded: {}\n", text_of(status, "unfit"));
  }
  for (const auto& [benchmark, noise] : status.at("noise_floor").items()) {
    if (text_of(noise, "unfit").empty()) continue;
    text += fmt::format("UNFIT, its changes are not recorded: {}: {}\n", benchmark, text_of(noise, "unfit"));
  }
  text += fmt::format("open regressions: {}\n", status.at("open_regressions").size());
  for (const auto& one : status.at("open_regressions")) {
    text += fmt::format("  {} {} since {}, ratio {:.4f}\n", text_of(one, "id"), text_of(one, "benchmark"),
                        short_commit(text_of(one, "culprit")), one.at("ratio").get<double>());
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
    std::istringstream lines(text_of(one, "last_lines"));
    for (std::string line; std::getline(lines, line);) text += fmt::format("    {}\n", line);
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
        {{"id", one.id}, {"benchmark", one.benchmark}, {"culprit", one.culprit}, {"ratio", one.ratio}});
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
      {"updated_at", iso_time(status.updated_at)},
      {"phase", status.phase},
      {"watch", status.watch},
      {"platform", status.platform},
      {"url", status.url},
      {"branch", status.branch},
      {"commit",
       examining ? ordered_json{{"id", status.commit.id}, {"subject", status.commit.subject}} : nullptr},
      {"benchmark", status.benchmark},
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
      {"last_verdicts", verdicts_json(status)},
      {"failed_builds", builds_json(status)},
      {"noise_floor", std::move(noise)},
      {"unfit", status.unfit},
      {"last_error", status.last_error.empty() ? ordered_json(nullptr)
                                               : ordered_json{{"at", iso_time(status.last_error_at)},
                                                              {"sentence", status.last_error}}}};
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
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
  if (status.commit.id.empty()) return status.phase;
  std::string line =
      fmt::format("[{}/{}] {} {}", status.commits_done + 1, status.commits_done + status.commits_left,
                  short_commit(status.commit.id), status.phase);
  if (status.phase == "measuring" || status.phase == "confirming") {
    line += fmt::format(" {}: {} of at most {}", status.benchmark, status.launch, status.most_launches);
  }
  if (status.seconds_left >= 0) line += fmt::format(", about {:.0f} s left", status.seconds_left);
  return line;
}

}  // namespace tandem::daemon::report
