#include "evaluation/pairing/costs.hpp"

#include <fmt/format.h>

#include <numeric>

#include "analysis/statistics.hpp"

namespace tandem::evaluation {
namespace {

using runners::Pairing;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t launches = 5;

/// The launches of one shape, put together.
struct Together {
  std::vector<double> gaps_ns;
  double slices_ns = 0;
  std::string failure;  ///< empty: all went well
};

Together launch_all(runners::PairRunner& runner, const Ground& ground, const runners::SliceShape& shape) {
  Together all;
  const auto iterations = static_cast<double>(shape.iterations);
  for (std::uint64_t index = 0; index < launches; ++index) {
    const auto result = runner.launch(ground.pair, {runners::Protocol::slices, ground.benchmark, shape},
                                      runners::plan_launch(29, index, shape), {});
    if (const auto* failure = std::get_if<runners::RunFailure>(&result)) {
      all.failure = failure->what;
      continue;
    }
    const runners::Launch& launch = std::get<std::vector<runners::Sampled>>(result).front().launch;
    all.gaps_ns.insert(all.gaps_ns.end(), launch.gaps_ns.begin(), launch.gaps_ns.end());
    for (const auto* values : {&launch.control, &launch.treatment}) {
      all.slices_ns += iterations * std::accumulate(values->begin(), values->end(), 0.0);
    }
  }
  if (all.gaps_ns.empty() && all.failure.empty()) all.failure = "the gaps between the slices are not known";
  return all;
}

Row cost(std::string method, const Together& all, std::optional<double> value) {
  Row row{"costs", 0, std::move(method), "ok", value, {}, {}, all.gaps_ns.size(), {}};
  if (all.failure.empty()) return row;
  row.outcome = "failed";
  row.ratio = std::nullopt;
  row.note = all.failure;
  return row;
}

void add_quantiles(std::vector<Row>& rows, const std::string& method, const Together& all) {
  rows.push_back(cost(method + "_p50", all, analysis::quantile(all.gaps_ns, 0.5)));
  rows.push_back(cost(method + "_p99", all, analysis::quantile(all.gaps_ns, 0.99)));
}

/// A launch knows the gap inside each pair; between two pairs lies another one, of about the same length.
double share_inside(const Together& all) {
  const double gaps_ns = 2 * std::accumulate(all.gaps_ns.begin(), all.gaps_ns.end(), 0.0);
  return all.slices_ns / (all.slices_ns + gaps_ns);
}

}  // namespace

std::vector<Row> costs_of(runners::PairRunner& runner, const Ground& empty, const Ground& busy) {
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
    const Together all = launch_all(
        runner, busy,
        runners::shape_for(busy.facts, {Pairing::alternate, microseconds{slice_us}, milliseconds{240}}));
    rows.push_back(cost(fmt::format("inside_{}", slice_us), all, share_inside(all)));
  }
  return rows;
}

}  // namespace tandem::evaluation
