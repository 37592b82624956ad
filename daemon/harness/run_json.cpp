#include "daemon/harness/run_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon/records/wording.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {
namespace {

using analysis::Summary;
using OwnSummary = std::map<std::string, double>;

/// NaN and infinity are shown among the values, but nothing is computed from them.
bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

Summary summary_of(const std::vector<double>& values, const std::vector<std::string>& names,
                   const OwnSummary& own) {
  Summary summary = all_finite(values) ? analysis::summarise(values, names) : Summary();
  for (const auto& [name, value] : own) {
    if (!std::isfinite(value)) continue;
    const auto same = std::find_if(summary.begin(), summary.end(),
                                   [&name = name](const auto& one) { return one.first == name; });
    if (same == summary.end()) {
      summary.emplace_back(name, value);
    } else {
      same->second = value;
    }
  }
  return summary;
}

/// Computed from the values, except for statistics that a program gave itself on one of the sides.
Summary difference_of(const ReportedSeries& series, const std::vector<std::string>& names,
                      const SeriesStatistics& sides) {
  Summary from_values;
  const std::vector<double> control = series.control_values.value_or(std::vector<double>());
  if (all_finite(series.values) && all_finite(control))
    from_values = analysis::difference(series.values, control, names);
  Summary both;
  for (const auto& [name, value] : sides.treatment) {
    const std::string opposite = analysis::reflected(name);
    if (!series.own_summary.contains(name) && !series.own_control_summary.contains(opposite)) {
      if (!from_values.empty()) both.emplace_back(name, statistic(from_values, name));
      continue;
    }
    const auto above = statistic(sides.treatment, name);
    const auto below = statistic(sides.control, opposite);
    if (above && below) both.emplace_back(name, *above - *below);
  }
  return both;
}

}  // namespace

std::optional<double> statistic(const Summary& summary, const std::string& name) {
  for (const auto& [one, value] : summary) {
    if (one == name) return value;
  }
  return std::nullopt;
}

bool has_control(const ReportedSeries& series) {
  return series.control_values || !series.own_control_summary.empty();
}

std::vector<std::string> further_statistics(const RunRecord& record) {
  std::set<std::string> seen(analysis::usual_statistics().begin(), analysis::usual_statistics().end());
  std::vector<std::string> names;
  for (const std::string& name : record.statistics) {
    if (seen.insert(name).second) names.push_back(name);
  }
  return names;
}

SeriesStatistics statistics_of(const RunRecord& record, const ReportedSeries& series) {
  std::vector<std::string> names = analysis::usual_statistics();
  for (std::string& name : further_statistics(record)) names.push_back(std::move(name));
  SeriesStatistics all;
  all.treatment = summary_of(series.values, names, series.own_summary);
  if (!has_control(series)) return all;
  all.control =
      summary_of(series.control_values.value_or(std::vector<double>()), names, series.own_control_summary);
  all.difference = difference_of(series, names, all);
  return all;
}

std::vector<std::string> keys_of(const RunRecord& record) {
  std::vector<std::string> keys;
  std::set<std::string> taken;
  for (const ReportedSeries& series : record.series) {
    std::string key = series.key();
    for (int number = 2; !taken.insert(key).second; ++number)
      key = fmt::format("{} ({})", series.key(), number);
    keys.push_back(std::move(key));
  }
  return keys;
}

namespace {

void put_text(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

double seconds_of(std::chrono::system_clock::time_point time) {
  // Divided once, so that 0.25 s stays 0.25 s.
  const auto whole = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  return static_cast<double>(whole.count()) / 1e6;
}

/// A program's own tables should be JSON; other text stays text.
Json custom_output_json(const std::vector<std::string>& tables) {
  Json list = Json::array();
  for (const std::string& table : tables) {
    Json parsed = Json::parse(table, nullptr, /*allow_exceptions=*/false);
    list.push_back(parsed.is_discarded() ? Json(table) : std::move(parsed));
  }
  return list;
}

Json verdict_json(const ReportedVerdict& verdict) {
  return {
      {"outcome", verdict.outcome}, {"ratio", verdict.ratio}, {"low", verdict.low}, {"high", verdict.high}};
}

Json summary_json(const Summary& summary) {
  Json object = Json::object();
  for (const auto& [name, value] : summary) object[name] = value ? Json(*value) : Json(nullptr);
  return object;
}

}  // namespace

std::string text_of(const Json& json, Shape shape) {
  return escaped_json(json.dump(shape == Shape::line ? -1 : 2, ' ', false, Json::error_handler_t::replace));
}

Json meta_json(const RunRecord& record) {
  Json meta = {{"id", record.id},
               {"backend", record.backend},
               {"time", seconds_of(record.time)},
               {"framework", record.framework},
               {"platform", record.platform}};
  put_text(meta, "platform_hash", record.platform_hash);
  meta["command"] = record.command;
  meta["command_str"] = report::shell_command(record.command);
  put_text(meta, "user_identifier", record.user_identifier);
  meta["net_name"] = record.model;
  put_text(meta, "group", record.group);
  meta["metric"] = record.metric;
  meta["identifier"] = record.identifier;
  meta["commit"] = record.treatment.commit;
  meta["commit_time"] = record.treatment.commit_time;
  put_text(meta, "treatment_diff", record.treatment.diff);
  put_text(meta, "treatment_version", record.treatment.version);
  if (record.control) {
    meta["control_commit"] = record.control->commit;
    meta["control_commit_time"] = record.control->commit_time;
    put_text(meta, "control_diff", record.control->diff);
    put_text(meta, "control_version", record.control->version);
  }
  meta["run_type"] = record.run_type;
  put_text(meta, "user_string", record.user_string);
  put_text(meta, "failure", record.failure);
  Json host = Json::object();
  for (const auto& [name, value] : record.host) host[name] = value;
  meta["host"] = std::move(host);
  return meta;
}

Json series_json(const RunRecord& record, const ReportedSeries& series) {
  const SeriesStatistics statistics = statistics_of(record, series);
  Json data = {{"type", series.type},         {"metric", series.metric},
               {"unit", series.unit},         {"values", series.values},
               {"num_runs", series.launches}, {"summary", summary_json(statistics.treatment)}};
  if (has_control(series)) {
    if (series.control_values) data["control_values"] = *series.control_values;
    data["control_summary"] = summary_json(statistics.control);
    data["diff_summary"] = summary_json(statistics.difference);
  }
  put_text(data, "info_string", series.info_string);
  if (series.regressed) data["regressed"] = 1;
  if (!series.custom_output.empty()) data["custom_output"] = custom_output_json(series.custom_output);
  if (series.verdict) data["verdict"] = verdict_json(*series.verdict);
  return data;
}

Json data_json(const RunRecord& record) {
  Json data = Json::object();
  const std::vector<std::string> keys = keys_of(record);
  for (std::size_t i = 0; i < keys.size(); ++i) data[keys[i]] = series_json(record, record.series[i]);
  return data;
}

std::string json_line(const RunRecord& record) {
  return text_of({{"id", record.id}, {"meta", meta_json(record)}, {"data", data_json(record)}}, Shape::line);
}

}  // namespace tandem::daemon::harness
