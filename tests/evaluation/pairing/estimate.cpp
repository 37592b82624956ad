#include "evaluation/pairing/estimate.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistics.hpp"

namespace tandem::evaluation {
namespace {

using runners::Launch;
using runners::LaunchPlan;
using runners::Side;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Launches {
  std::vector<Launch> good;
  std::size_t failed = 0;
  std::string failure;  ///< the last one
};

/// As many launches as come closest to the time, at least one. `plan(index)` is the plan of each.
template <class Plan>
Launches launch_for(runners::PairRunner& runner, const Ground& ground, double seconds, const Plan& plan) {
  Launches launches;
  const auto begin = Clock::now();
  for (std::uint64_t index = 0;; ++index) {
    const double spent = seconds_since(begin);
    if (index > 0 && spent + spent / static_cast<double>(2 * index) >= seconds) return launches;
    const LaunchPlan each = plan(index);
    auto result =
        runner.launch(ground.pair, {runners::Protocol::slices, ground.benchmark, each.shape}, each, {});
    if (const auto* failure = std::get_if<runners::RunFailure>(&result)) {
      ++launches.failed;
      launches.failure = failure->what;
    } else {
      launches.good.push_back(std::move(std::get<std::vector<runners::Sampled>>(result).front().launch));
    }
  }
}

Row failed(const Launches& launches) {
  Row row;
  row.outcome = "failed";
  row.count = launches.failed;
  row.note = launches.failure.empty() ? "no launch has usable values" : launches.failure;
  return row;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Row estimate_paired(runners::PairRunner& runner, const Ground& ground,
                    const runners::Arrangement& arrangement, double seconds, std::uint64_t seed) {
  const runners::SliceShape shape = runners::shape_for(ground.facts, arrangement);
  const auto begin = Clock::now();
  const Launches launches = launch_for(
      runner, ground, seconds, [&](std::uint64_t index) { return runners::plan_launch(seed, index, shape); });
  Row row;
  row.seconds = seconds_since(begin);
  std::vector<double> medians;
  std::vector<double> totals;
  for (const Launch& launch : launches.good) {
    if (const auto statistics = analysis::launch_statistics(launch)) {
      medians.push_back(statistics->median);
      totals.push_back(statistics->total);
    }
  }
  if (medians.empty() || launches.failed > medians.size()) return failed(launches);
  row.outcome = "ok";
  row.ratio = analysis::median(medians);
  row.total = mean(totals);
  row.count = medians.size();
  row.note = name_of(arrangement);
  return row;
}

Row estimate_one_after_the_other(runners::PairRunner& runner, const Ground& ground, double seconds,
                                 std::uint64_t seed) {
  const auto arrangement = usual_arrangement(ground, runners::Pairing::process);
  const runners::SliceShape shape =
      runners::shape_for(ground.facts, std::get<runners::Arrangement>(arrangement));
  const auto begin = Clock::now();
  std::array<std::vector<double>, 2> values;  // of all slices, by side
  Row row;
  for (const Side side : {Side::control, Side::treatment}) {
    const Launches launches = launch_for(runner, ground, seconds / 2, [&](std::uint64_t index) {
      return runners::alone(runners::plan_launch(seed, index, shape), side);
    });
    if (launches.failed >= launches.good.size()) return failed(launches);
    auto& mine = values.at(static_cast<std::size_t>(side));
    for (const Launch& launch : launches.good) {
      const auto& slices = side == Side::control ? launch.control : launch.treatment;
      mine.insert(mine.end(), slices.begin(), slices.end());
    }
    row.count += launches.good.size();
  }
  row.outcome = "ok";
  row.ratio = std::log(*analysis::median(values[1])) - std::log(*analysis::median(values[0]));
  row.total = std::log(mean(values[1])) - std::log(mean(values[0]));
  row.seconds = seconds_since(begin);
  row.note = name_of(std::get<runners::Arrangement>(arrangement));
  return row;
}

}  // namespace tandem::evaluation
