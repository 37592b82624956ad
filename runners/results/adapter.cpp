#include "runners/results/adapter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace tandem::runners {

// One line for each adapter.
#define TANDEM_EACH_ADAPTER(line)                                              \
  line(observer_adapter) line(json_with_identifier_adapter) line(json_adapter) \
      line(google_benchmark_adapter) line(benchdnn_adapter) line(tflite_adapter)

#define TANDEM_DECLARE(adapter) extern const ResultAdapter adapter;
TANDEM_EACH_ADAPTER(TANDEM_DECLARE)

namespace {

#define TANDEM_ADDRESS(adapter) &adapter,
constexpr const ResultAdapter* registry[] = {TANDEM_EACH_ADAPTER(TANDEM_ADDRESS)};

template <class Which>
const ResultAdapter* first_adapter(Which which) {
  const auto* const found = std::find_if(std::begin(registry), std::end(registry), which);
  return found == std::end(registry) ? nullptr : *found;
}

void add_line(std::string& text, const std::string& line) {
  text += (text.empty() ? "" : "\n") + line;
}

/// With its quotes.
std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

/// Remarks of a benchmark for which there are no values, as a table.
std::string as_table(const Series& series) {
  std::string text = fmt::format("{{\"table_name\":{},\"custom_output\":{{", json_string(series.key));
  if (!series.remarks.info_string.empty())
    text += fmt::format("\"info_string\":{},", json_string(series.remarks.info_string));
  for (const auto& [name, value] : series.remarks.summary)
    text += fmt::format("{}:{},", json_string(name), value);
  if (text.ends_with(',')) text.pop_back();
  return text + "}}";
}

void move_to_end(std::vector<std::string>& to, std::vector<std::string>& from) {
  for (std::string& one : from) to.push_back(std::move(one));
}

}  // namespace

const ResultAdapter* find_adapter(std::string_view name) {
  return first_adapter([&](const ResultAdapter* one) { return one->name == name; });
}

const ResultAdapter* find_adapter(Protocol protocol) {
  return first_adapter([&](const ResultAdapter* one) { return one->protocol == protocol; });
}

std::vector<std::string_view> adapter_names() {
  std::vector<std::string_view> names;
  for (const ResultAdapter* one : registry) names.push_back(one->name);
  std::sort(names.begin(), names.end());
  return names;
}

SeriesCollector::Entry* SeriesCollector::entry(const std::string& benchmark, const specs::Metric& metric) {
  const auto [place, added] = places_.try_emplace({benchmark, metric.name}, all_.size());
  if (added) {
    if (all_.size() == most_series) {
      places_.erase(place);
      return nullptr;
    }
    all_.push_back({{benchmark, metric, {}}, {}, {}});
  }
  return &all_[place->second];
}

bool SeriesCollector::room_for_values() {
  return values_ < most_values && (++values_, true);
}

bool SeriesCollector::room_for_remark(std::size_t bytes) {
  remark_bytes_ += bytes;
  return remark_bytes_ <= most_remark_bytes;
}

bool SeriesCollector::add(const std::string& benchmark, const specs::Metric& metric, double value) {
  Entry* const place = room_for_values() ? entry(benchmark, metric) : nullptr;
  if (place != nullptr) place->series.values.push_back(value);
  return place != nullptr;
}

bool SeriesCollector::add_instead(const std::string& benchmark, const specs::Metric& metric, double value) {
  Entry* const place = room_for_values() ? entry(benchmark, metric) : nullptr;
  if (place != nullptr) place->instead.push_back(value);
  return place != nullptr;
}

bool SeriesCollector::add_info(const std::string& benchmark, const specs::Metric& metric,
                               const std::string& text) {
  Entry* const place = room_for_remark(text.size()) ? entry(benchmark, metric) : nullptr;
  if (place != nullptr && place->infos.insert(text).second) add_line(place->series.remarks.info_string, text);
  return place != nullptr;
}

bool SeriesCollector::add_statistic(const std::string& benchmark, const specs::Metric& metric,
                                    const std::string& name, double value) {
  Entry* const place = room_for_remark(name.size() + sizeof value) ? entry(benchmark, metric) : nullptr;
  if (place != nullptr) place->series.remarks.summary[name] = value;
  return place != nullptr;
}

bool SeriesCollector::add_table(std::string json) {
  if (!room_for_remark(json.size())) return false;
  tables_.push_back(std::move(json));
  return true;
}

std::vector<Series> SeriesCollector::take() {
  std::vector<Series> series;
  for (Entry& one : all_) {
    if (one.series.values.empty()) one.series.values = std::move(one.instead);
    if (one.series.values.empty()) {
      tables_.push_back(as_table(one.series));
    } else {
      series.push_back(std::move(one.series));
    }
  }
  if (!series.empty()) move_to_end(series.front().remarks.custom_output, tables_);
  return series;
}

void merge(std::vector<Series>& all, std::vector<Series> more) {
  std::map<std::array<std::string, 3>, std::size_t> places;
  const auto name = [](const Series& one) { return std::array{one.key, one.metric.name, one.metric.unit}; };
  for (std::size_t i = 0; i < all.size(); ++i) places.try_emplace(name(all[i]), i);
  for (Series& one : more) {
    const auto [place, added] = places.try_emplace(name(one), all.size());
    if (added) {
      all.push_back(std::move(one));
      continue;
    }
    Series& same = all[place->second];
    same.values.insert(same.values.end(), one.values.begin(), one.values.end());
    if (!one.remarks.info_string.empty() && one.remarks.info_string != same.remarks.info_string)
      add_line(same.remarks.info_string, one.remarks.info_string);
    for (const auto& [statistic, value] : one.remarks.summary) same.remarks.summary[statistic] = value;
    move_to_end(same.remarks.custom_output, one.remarks.custom_output);
  }
}

}  // namespace tandem::runners
