#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <numeric>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistics.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/pairing/pairing.hpp"

namespace tandem::evaluation {
namespace {

using runners::Launch;
using runners::Pairing;
using runners::Side;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// As many launches as come closest to the time, at least one. `plan(index)` is the plan of each.
template <class Plan>
Launches launch_for(runners::PairRunner& runner, const WorkloadPair& programs, double seconds,
                    const Plan& plan) {
  Launches launches;
  const auto begin = Clock::now();
  for (std::uint64_t index = 0;; ++index) {
    const double spent = seconds_since(begin);
    if (index > 0 && spent + spent / static_cast<double>(2 * index) >= seconds) return launches;
    launch_once(runner, programs, plan(index), launches);
  }
}

Row failed(const Launches& launches) {
  Row row;
  row.outcome = "failed";
  row.count = launches.failed;
  row.note = launches.failure.empty() ? "no launch has usable values" : launches.failure;
  return row;
}

constexpr std::uint64_t launches = 5;

/// The launches of one shape, put together.
struct Gaps {
  std::vector<double> gaps_ns;
  double slices_ns = 0;
  std::string failure;  ///< empty: all went well
};

Gaps launch_all(runners::PairRunner& runner, const WorkloadPair& programs, const runners::SliceShape& shape) {
  Launches made;
  for (std::uint64_t index = 0; index < launches; ++index)
    launch_once(runner, programs, runners::plan_launch(29, index, shape), made);
  Gaps gaps;
  gaps.failure = made.failure;
  for (const Launch& launch : made.good) {
    gaps.gaps_ns.insert(gaps.gaps_ns.end(), launch.gaps_ns.begin(), launch.gaps_ns.end());
    for (const auto* values : {&launch.control, &launch.treatment})
      gaps.slices_ns +=
          static_cast<double>(shape.iterations) * std::accumulate(values->begin(), values->end(), 0.0);
  }
  if (gaps.gaps_ns.empty() && gaps.failure.empty())
    gaps.failure = "the gaps between the slices are not known";
  return gaps;
}

Row cost(std::string method, const Gaps& gaps, std::optional<double> value) {
  Row row{"costs", 0, std::move(method), "ok", value, {}, {}, gaps.gaps_ns.size(), {}};
  if (gaps.failure.empty()) return row;
  row.outcome = "failed";
  row.ratio = std::nullopt;
  row.note = gaps.failure;
  return row;
}

void add_quantiles(std::vector<Row>& rows, const std::string& method, const Gaps& gaps) {
  rows.push_back(cost(method + "_p50", gaps, analysis::quantile(gaps.gaps_ns, 0.5)));
  rows.push_back(cost(method + "_p99", gaps, analysis::quantile(gaps.gaps_ns, 0.99)));
}

/// A launch knows the gap inside each pair; between two pairs lies another one, of about the same length.
double share_inside(const Gaps& gaps) {
  const double gaps_ns = 2 * std::accumulate(gaps.gaps_ns.begin(), gaps.gaps_ns.end(), 0.0);
  return gaps.slices_ns / (gaps.slices_ns + gaps_ns);
}

}  // namespace

Row estimate_paired(runners::PairRunner& runner, const WorkloadPair& programs,
                    const runners::Arrangement& arrangement, double seconds, std::uint64_t seed) {
  const runners::SliceShape shape = runners::shape_for(programs.facts, arrangement);
  const auto begin = Clock::now();
  const Launches launches = launch_for(runner, programs, seconds, [&](std::uint64_t index) {
    return runners::plan_launch(seed, index, shape);
  });
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
  row.total = moments_of(totals).mean;
  row.count = medians.size();
  row.note = name_of(arrangement);
  return row;
}

Row estimate_one_after_the_other(runners::PairRunner& runner, const WorkloadPair& programs, double seconds,
                                 std::uint64_t seed) {
  const auto arrangement = usual_arrangement(programs, runners::Pairing::process);
  const runners::SliceShape shape =
      runners::shape_for(programs.facts, std::get<runners::Arrangement>(arrangement));
  const auto begin = Clock::now();
  std::array<std::vector<double>, 2> values;  // of all slices, by side
  Row row;
  for (const Side side : {Side::control, Side::treatment}) {
    const Launches launches = launch_for(runner, programs, seconds / 2, [&](std::uint64_t index) {
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
  row.total = std::log(moments_of(values[1]).mean) - std::log(moments_of(values[0]).mean);
  row.seconds = seconds_since(begin);
  row.note = name_of(std::get<runners::Arrangement>(arrangement));
  return row;
}

std::vector<Row> costs_of(runners::PairRunner& runner, const WorkloadPair& empty, const WorkloadPair& busy) {
  std::vector<Row> rows;
  runners::SliceShape nothing;
  nothing.iterations = 1;
  nothing.pairs = 2000;
  nothing.warm_up_pairs = 100;
  add_quantiles(rows, "hand_over", launch_all(runner, empty, nothing));

  if (const auto usual = usual_arrangement(busy, Pairing::duet);
      const auto* why = std::get_if<std::string>(&usual)) {
    for (const char* method : {"duet_skew_p50", "duet_skew_p99"}) {
      rows.push_back({"costs", 0, method, "refused", {}, {}, {}, 0, *why});
    }
  } else {
    add_quantiles(
        rows, "duet_skew",
        launch_all(runner, busy,
                   runners::shape_for(busy.facts, {Pairing::duet, milliseconds{1}, milliseconds{480}})));
  }

  for (const int slice_us : {100, 300, 1000}) {
    const Gaps gaps = launch_all(
        runner, busy,
        runners::shape_for(busy.facts, {Pairing::alternate, microseconds{slice_us}, milliseconds{240}}));
    rows.push_back(cost(fmt::format("inside_{}", slice_us), gaps, share_inside(gaps)));
  }
  return rows;
}

}  // namespace tandem::evaluation
