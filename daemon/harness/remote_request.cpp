#include "daemon/harness/remote_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "daemon/harness/result_files.hpp"
#include "daemon/harness/run_json.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {

namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

bool is_visible_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7F; });
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError(fmt::format("--remote_reporter: {}; write it as \"https://host/path|category\"", what));
}

}  // namespace

Address read_address(const std::string& setting) {
  const auto bar = setting.find('|');
  const auto shown = printable(setting, 200);
  if (bar == std::string::npos) refuse(fmt::format("\"{}\" has no category", shown));
  if (setting.find('|', bar + 1) != std::string::npos)
    refuse(fmt::format("\"{}\" has more than one \"|\"", shown));
  Address address{trimmed(setting.substr(0, bar)), trimmed(setting.substr(bar + 1))};
  if (address.url.empty()) refuse(fmt::format("\"{}\" has no URL", shown));
  if (address.category.empty()) refuse(fmt::format("\"{}\" has no category", shown));

  const auto scheme_end = address.url.find("://");
  if (scheme_end == std::string::npos) address.url = "https://" + address.url;
  const std::string scheme = address.url.substr(0, address.url.find("://"));
  if (scheme != "http" && scheme != "https")
    refuse(fmt::format("\"{}\" is neither http nor https", printable(scheme, 40)));
  const std::string rest = address.url.substr(scheme.size() + 3);
  const std::string host = rest.substr(0, rest.find_first_of("/?#"));
  // Messages show addresses, so an address must not hold a secret.
  if (host.find('@') != std::string::npos)
    throw InputError(
        "--remote_reporter: a name and password in the URL would be shown; use "
        "--remote_access_token_file");
  if (host.empty() || host.front() == ':') refuse(fmt::format("\"{}\" has no host", shown));
  if (!is_visible_ascii(address.url)) refuse(fmt::format("\"{}\" is not a URL", shown));
  return address;
}

void check_token(const std::string& token) {
  if (!is_visible_ascii(token))
    throw InputError(
        "--remote_access_token: a token has no spaces, line ends or letters beyond ASCII; check the "
        "file or the value it came from");
}

namespace {

/// The three parts that FAI-PEP's servers know, and `double` for what is measured.
struct Message {
  Json whole = Json::object();
  Json measured = Json::object();
  Json normal = Json::object();
  Json vectors = Json::object();
};

Json normal_of(const RunRecord& record) {
  Json normal = meta_json(record);
  normal["command"] = normal["command_str"];
  for (const char* name : {"command_str", "time", "commit_time", "control_commit_time", "host"})
    normal.erase(name);
  for (const auto& [name, value] : record.host) normal["host." + name] = value;
  return normal;
}

Message message_of_run(const RunRecord& record) {
  Message message;
  message.normal = normal_of(record);
  message.whole["time"] = std::chrono::floor<std::chrono::seconds>(record.time.time_since_epoch()).count();
  message.whole["commit_time"] = record.treatment.commit_time;
  if (record.control) message.whole["control_commit_time"] = record.control->commit_time;
  return message;
}

void add_summary(Json& measured, const std::string& prefix, const analysis::Summary& summary) {
  for (const auto& [name, value] : summary) {
    if (value) measured[prefix + name] = *value;
  }
}

void add_series(Message& message, const RunRecord& record, const ReportedSeries& series) {
  const SeriesStatistics statistics = statistics_of(record, series);
  add_summary(message.measured, "", statistics.treatment);
  add_summary(message.measured, "control_", statistics.control);
  add_summary(message.measured, "diff_", statistics.difference);
  message.whole["num_runs"] = series.launches;
  if (series.regressed) message.whole["regressed"] = 1;
  message.normal["type"] = series.type;
  message.normal["metric"] = series.metric;
  message.normal["unit"] = series.unit;
  if (!series.info_string.empty()) message.normal["info_string"] = series.info_string;
  if (!series.custom_output.empty())
    message.normal["custom_output"] = text_of(Json(series.custom_output), Shape::line);
  if (series.verdict) {
    message.normal["verdict"] = series.verdict->outcome;
    message.measured["ratio"] = series.verdict->ratio;
    message.measured["ratio_low"] = series.verdict->low;
    message.measured["ratio_high"] = series.verdict->high;
  }
  message.vectors["values"] = series.values;
  if (series.control_values) message.vectors["control_values"] = *series.control_values;
}

Json log_of(Message message, const std::string& id, const std::string& category) {
  message.normal["id"] = id;
  const Json parts = {{"int", message.whole},
                      {"double", message.measured},
                      {"normal", message.normal},
                      {"normvector", message.vectors}};
  return {
      {"id", id}, {"category", category}, {"message", text_of(parts, Shape::line)}, {"line_escape", false}};
}

/// Stands in the spool's file, so that a changed or cut file is noticed.
std::string digest(const RemoteRequest& request) {
  return sha256_of(fmt::format("{}\n{}\n{}", request.id, request.count, request.logs));
}

/// Whether the server objects to the token or the address, and so would to every result.
bool is_about_the_way(long status) {
  for (const long one : {401, 403, 404, 405, 407, 408, 410, 421, 425, 429}) {
    if (status == one) return true;
  }
  return false;
}

const char* remedy(long status) {
  if (status == 401 || status == 403) return "; check --remote_access_token";
  if (status >= 300 && status < 400) return ", which sends elsewhere; check --remote_reporter";
  if (status == 404 || status == 405 || status == 410) return "; check --remote_reporter";
  return "";
}

}  // namespace

RemoteRequest remote_request(const RunRecord& record, const std::string& category) {
  const std::string id = printable(record.id, 200);
  Json logs = Json::array();
  const std::vector<std::string> keys = keys_of(record);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Message message = message_of_run(record);
    add_series(message, record, record.series[i]);
    logs.push_back(log_of(std::move(message), id + "/" + keys[i], category));
  }
  // A run without results is sent, too, with its failure.
  if (logs.empty()) logs.push_back(log_of(message_of_run(record), id, category));
  return {id, logs.size(), text_of(logs, Shape::line)};
}

std::string spool_text(const RemoteRequest& request) {
  const Json json = {{"format", 1},
                     {"id", request.id},
                     {"count", request.count},
                     {"sha256", digest(request)},
                     {"logs", request.logs}};
  return text_of(json, Shape::line) + "\n";
}

std::optional<RemoteRequest> read_spool_text(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("format", Json()) != 1) return std::nullopt;
  const Json id = json.value("id", Json());
  const Json count = json.value("count", Json());
  const Json logs = json.value("logs", Json());
  if (!id.is_string() || !count.is_number_unsigned() || !logs.is_string()) return std::nullopt;
  RemoteRequest request{id.get<std::string>(), count.get<std::size_t>(), logs.get<std::string>()};
  if (json.value("sha256", Json()) != digest(request)) return std::nullopt;
  return request;
}

std::string request_body(const RemoteRequest& request, const std::string& token) {
  return text_of({{"access_token", token}, {"logs", request.logs}}, Shape::line);
}

std::vector<std::string> request_headers(const RemoteRequest& request, const std::string& token) {
  std::vector<std::string> headers = {"Idempotency-Key: " + safe_name(request.id)};
  if (!token.empty()) headers.push_back("Authorization: Bearer " + token);
  return headers;
}

Received received(const HttpAnswer& answer, const RemoteRequest& request) {
  if (answer.status == 409) return {Reception::taken, ""};
  if (answer.status != 200) {
    const bool never = answer.status >= 400 && answer.status < 500 && !is_about_the_way(answer.status);
    return {never ? Reception::refused : Reception::later,
            fmt::format("the server answers with status {}{}", answer.status, remedy(answer.status))};
  }
  // Nothing of the answer is shown: a confused server might repeat the token.
  const Json json = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return {Reception::later, "the server's answer is no JSON object"};
  if (json.value("known", Json()) == true) return {Reception::taken, ""};
  const Json count = json.value("count", Json());
  if (!count.is_number_unsigned()) return {Reception::later, "the server's answer has no \"count\""};
  if (count.get<std::size_t>() == request.count) return {Reception::taken, ""};
  return {Reception::later,
          fmt::format("the server says that it took {} of {} logs", count.get<std::size_t>(), request.count)};
}

}  // namespace tandem::daemon::harness
