#include "daemon/measure/run_samples.hpp"

#include <algorithm>

namespace tandem::daemon {
namespace {

constexpr const char* whole_net = "NET";

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

}  // namespace

std::string type_of(const std::string& benchmark, const std::string& metric) {
  return benchmark.size() > metric.size() + 1 && benchmark.ends_with(" " + metric)
             ? benchmark.substr(0, benchmark.size() - metric.size() - 1)
             : benchmark;
}

void RunSamples::add(const std::vector<runners::Sampled>& launch) {
  ++launches_;
  for (const runners::Sampled& sampled : launch) {
    const auto [place, added] = places_.try_emplace(
        {sampled.benchmark, sampled.metric.name + "\n" + sampled.metric.unit}, kept_.size());
    if (added) {
      Kept fresh{sampled.benchmark, sampled.metric, {}};
      fresh.series.type = type_of(sampled.benchmark, sampled.metric.name);
      fresh.series.metric = sampled.metric.name;
      fresh.series.unit = sampled.metric.unit;
      kept_.push_back(std::move(fresh));
    }
    ReportedSeries& series = kept_[place->second].series;
    append(series.values, sampled.launch.treatment);
    if (!sampled.launch.control.empty()) {
      if (!series.control_values) series.control_values.emplace();
      append(*series.control_values, sampled.launch.control);
    }
    ++series.launches;
    const runners::Remarks& said = sampled.treatment_remarks;
    if (!said.info_string.empty()) series.info_string = said.info_string;
    // Statistics of one launch speak for that launch alone.
    series.own_summary = series.launches == 1 ? said.summary : std::map<std::string, double>();
    series.own_control_summary =
        series.launches == 1 ? sampled.control_remarks.summary : std::map<std::string, double>();
    series.custom_output.insert(series.custom_output.end(), said.custom_output.begin(),
                                said.custom_output.end());
  }
}

void RunSamples::add_measured(const runners::LaunchResult& launch) {
  if (const auto* sampled = std::get_if<std::vector<runners::Sampled>>(&launch)) add(*sampled);
}

std::vector<RunSamples::Kept> kept_of(const std::vector<Screened>& screened) {
  RunSamples samples;
  for (const Screened& one : screened) {
    for (const runners::Launch& launch : one.launches) samples.add({{one.benchmark, one.metric, launch}});
  }
  return samples.kept();
}

std::size_t RunSamples::counted() const {
  std::size_t net = 0;
  std::size_t longest = 0;
  for (const Kept& one : kept_) {
    const std::size_t values = one.series.values.size();
    if (one.series.type == whole_net) net = std::max(net, values);
    longest = std::max(longest, values);
  }
  return net > 0 ? net : longest;
}

}  // namespace tandem::daemon
