#include "daemon/harness/series_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tandem::daemon::harness {
namespace {

using analysis::Summary;
using OwnSummary = std::map<std::string, double>;

/// A value that is no number is shown among the values, but nothing is computed from it.
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

/// As the values say, except where a program's own statistic stands on one of the sides.
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

}  // namespace tandem::daemon::harness
