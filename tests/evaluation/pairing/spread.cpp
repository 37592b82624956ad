#include "evaluation/pairing/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/statistics.hpp"

namespace tandem::evaluation {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

double Spread::robust() const {
  return analysis::robust_deviation(ratios).value_or(0);
}

std::vector<std::string> Rows::workloads() const {
  std::vector<std::string> names;
  for (const Row& row : rows_) {
    if (row.workload != "costs" && std::find(names.begin(), names.end(), row.workload) == names.end())
      names.push_back(row.workload);
  }
  return names;
}

std::vector<const Row*> Rows::of(const std::string& workload, int percent, const std::string& method) const {
  std::vector<const Row*> found;
  for (const Row& row : rows_) {
    if (row.workload == workload && row.percent == percent && row.method == method) found.push_back(&row);
  }
  return found;
}

const Row* Rows::first(const std::string& workload, int percent, const std::string& method) const {
  const auto found = of(workload, percent, method);
  return found.empty() ? nullptr : found.front();
}

Spread Rows::spread(const std::string& workload, int percent, const std::string& method) const {
  Spread spread;
  for (const Row* row : of(workload, percent, method)) {
    spread.refused = spread.refused || row->outcome == "refused";
    if (row->outcome != "ok" || !row->ratio) continue;
    spread.ratios.push_back(*row->ratio);
    if (row->total) spread.totals.push_back(*row->total);
    spread.seconds += row->seconds.value_or(0);
  }
  if (!spread.ratios.empty()) spread.seconds /= static_cast<double>(spread.ratios.size());
  return spread;
}

int Rows::planted(const std::string& workload) const {
  for (const Row& row : rows_) {
    if (row.workload == workload && row.percent != 0) return row.percent;
  }
  return 0;
}

std::size_t Rows::failed() const {
  return static_cast<std::size_t>(
      std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.outcome == "failed"; }));
}

}  // namespace tandem::evaluation
