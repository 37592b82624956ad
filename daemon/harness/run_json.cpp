#include "daemon/harness/run_json.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "daemon/harness/series_statistics.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {
namespace {

void put_text(Json& object, const char* name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

double seconds_of(std::chrono::system_clock::time_point time) {
  // Divided once, so that 0.25 s stays 0.25 s.
  const auto whole = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  return static_cast<double>(whole.count()) / 1e6;
}

/// Tables of a program's own are JSON already; what is not stays the text it is.
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

std::string quoted_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("_-+=./:,@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string text_of(const Json& json, Shape shape) {
  return escaped_json(json.dump(shape == Shape::line ? -1 : 2, ' ', false, Json::error_handler_t::replace));
}

std::string command_text(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + quoted_word(word);
  return text;
}

Json summary_json(const std::vector<std::pair<std::string, std::optional<double>>>& summary) {
  Json object = Json::object();
  for (const auto& [name, value] : summary) object[name] = value ? Json(*value) : Json(nullptr);
  return object;
}

Json meta_json(const RunRecord& record) {
  Json meta = {{"id", record.id},
               {"backend", record.backend},
               {"time", seconds_of(record.time)},
               {"framework", record.framework},
               {"platform", record.platform}};
  put_text(meta, "platform_hash", record.platform_hash);
  meta["command"] = record.command;
  meta["command_str"] = command_text(record.command);
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
