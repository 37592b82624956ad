#include "evaluation/evidence/recorded/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using runners::Side;

SideRow side_of(std::span<const double> slices) {
  return {*analysis::median(slices), moments_of(slices).mean, *analysis::quantile(slices, 0.1),
          *analysis::quantile(slices, 0.9)};
}

/// Tango's filter: as many values at each end as lie farther than 1.5 interquartile ranges outside of the
/// quartiles at that end which has fewer of them.
std::vector<double> without_outliers(std::vector<double> values) {
  const double low = *analysis::quantile(values, 0.25);
  const double high = *analysis::quantile(values, 0.75);
  const double reach = 1.5 * (high - low);
  std::sort(values.begin(), values.end());
  const auto first = std::lower_bound(values.begin(), values.end(), low - reach);
  const auto last = std::upper_bound(values.begin(), values.end(), high + reach);
  const auto cut = std::min(first - values.begin(), values.end() - last);
  return {values.begin() + cut, values.end() - cut};
}

/// The numbers in the order in which a line has them.
template <class Row>
auto numbers_of(Row& row) {
  return std::tie(row.statistics.median, row.statistics.total, row.log_mean, row.log_deviation,
                  row.difference_mean, row.difference_deviation, row.control.median, row.control.mean,
                  row.control.p10, row.control.p90, row.treatment.median, row.treatment.mean,
                  row.treatment.p10, row.treatment.p90);
}

bool read(FieldReader& fields, LaunchRow& row) {
  int slot = 0;
  fields >> slot >> row.pairs >> row.differences;
  std::apply([&](auto&... numbers) { (fields >> ... >> numbers); }, numbers_of(row));
  row.first_slot = slot == 0 ? Side::control : Side::treatment;
  return fields.is_whole() && (slot == 0 || slot == 1);
}

std::optional<Sample> sample_in(std::string_view line) {
  const Journal::Fields all = fields_in(line);
  FieldReader fields(all);
  Sample sample;
  Origin& origin = sample.origin;
  fields >> origin.workload >> origin.pairing >> origin.layouts >> origin.percent >> sample.decision;
  return read(fields, sample.launch) ? std::optional(std::move(sample)) : std::nullopt;
}

}  // namespace

Moments moments_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return moments;
  double squares = 0;
  for (const double value : values) squares += (value - moments.mean) * (value - moments.mean);
  moments.deviation = std::sqrt(squares / (count - 1));
  return moments;
}

std::optional<LaunchRow> summarise(const runners::Launch& launch) {
  const auto statistics = analysis::launch_statistics(launch);
  if (!statistics || launch.control.size() != launch.treatment.size()) return std::nullopt;
  LaunchRow row;
  row.first_slot = launch.first_slot;
  row.pairs = launch.control.size();
  row.statistics = *statistics;
  std::vector<double> logs(row.pairs);
  std::vector<double> differences(row.pairs);
  for (std::size_t i = 0; i < row.pairs; ++i) {
    logs[i] = std::log(launch.treatment[i] / launch.control[i]);
    differences[i] = launch.treatment[i] - launch.control[i];
  }
  const Moments log = moments_of(logs);
  row.log_mean = log.mean;
  row.log_deviation = log.deviation;
  const std::vector<double> kept = without_outliers(differences);
  const Moments difference = moments_of(kept);
  row.differences = kept.size();
  row.difference_mean = difference.mean;
  row.difference_deviation = difference.deviation;
  row.control = side_of(launch.control);
  row.treatment = side_of(launch.treatment);
  return row;
}

LaunchRow exchanged(const LaunchRow& row) {
  LaunchRow other = row;
  other.first_slot = runners::other(row.first_slot);
  other.statistics = {-row.statistics.median, -row.statistics.total};
  other.log_mean = -row.log_mean;
  other.difference_mean = -row.difference_mean;
  std::swap(other.control, other.treatment);
  return other;
}

LaunchRow slowed(const LaunchRow& row, double factor) {
  LaunchRow slower = row;
  const double log = std::log(factor);
  slower.statistics.median += log;
  slower.statistics.total += log;
  slower.log_mean += log;
  slower.difference_mean += (factor - 1) * row.treatment.mean;
  for (double* value :
       {&slower.treatment.median, &slower.treatment.mean, &slower.treatment.p10, &slower.treatment.p90}) {
    *value *= factor;
  }
  return slower;
}

LaunchRow slowed_in_total(const LaunchRow& row, double factor) {
  LaunchRow slower = row;
  slower.statistics.total += std::log(factor);
  return slower;
}

LaunchRow scaled(const LaunchRow& row, double factor) {
  LaunchRow other = row;
  for (double* value :
       {&other.statistics.median, &other.statistics.total, &other.log_mean, &other.log_deviation}) {
    *value *= factor;
  }
  return other;
}

std::string line_of(const LaunchRow& row) {
  std::string line =
      fmt::format("{}\t{}\t{}", row.first_slot == Side::control ? 0 : 1, row.pairs, row.differences);
  std::apply(
      [&](const auto&... numbers) { (fmt::format_to(std::back_inserter(line), "\t{:.7g}", numbers), ...); },
      numbers_of(row));
  return line;
}

std::optional<LaunchRow> row_in(std::string_view line) {
  const Journal::Fields all = fields_in(line);
  FieldReader fields(all);
  LaunchRow row;
  return read(fields, row) ? std::optional(row) : std::nullopt;
}

std::vector<Sample> read_samples(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<Sample> samples;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (stream.eof()) break;  // it has no end: its writer was interrupted
    auto sample = sample_in(line);
    if (!sample) throw Error(fmt::format("{}:{}: this is no recorded launch", file.string(), number));
    samples.push_back(std::move(*sample));
  }
  return samples;
}

std::string line_of(const Sample& sample) {
  const Origin& origin = sample.origin;
  return fmt::format("{}\t{}\t{}\t{:g}\t{}\t{}", origin.workload, origin.pairing, origin.layouts,
                     origin.percent, sample.decision, line_of(sample.launch));
}

std::map<Origin, std::vector<LaunchRow>> by_origin(std::span<const Sample> samples) {
  std::map<Origin, std::vector<LaunchRow>> launches;
  for (const Sample& sample : samples) launches[sample.origin].push_back(sample.launch);
  return launches;
}

std::vector<Sample> samples_of_trace(const std::filesystem::path& file) {
  const std::filesystem::path stem = file.stem();
  const std::string pairing = stem.extension().string();
  const Origin origin{stem.stem(), pairing.empty() ? "" : pairing.substr(1)};
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) throw Error(fmt::format("{} cannot be read", file.string()));
  std::vector<Sample> samples;
  runners::Launch launch;
  const auto end_launch = [&] {
    if (const auto row = summarise(launch)) samples.push_back({origin, launch.index, *row});
  };
  for (std::size_t number = 2; std::getline(stream, line); ++number) {
    unsigned long long index = 0;
    int swap = 0;
    double control = 0;
    double treatment = 0;
    char rest = 0;
    if (std::sscanf(line.c_str(), "%llu,%*u,%d,%lf,%lf%c", &index, &swap, &control, &treatment, &rest) != 4)
      throw Error(fmt::format("{}:{}: this is no slice of a trace", file.string(), number));
    if (index != launch.index) {
      end_launch();
      launch = {};
      launch.index = index;
    }
    const Side first = swap == 0 ? Side::control : Side::treatment;
    if (launch.control.empty()) launch.first_slot = first;
    launch.control.push_back(control);
    launch.treatment.push_back(treatment);
    launch.first.push_back(first);
  }
  end_launch();
  return samples;
}

}  // namespace tandem::evaluation
