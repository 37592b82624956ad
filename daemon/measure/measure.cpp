#include "daemon/measure/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using runners::Arrangement;
using runners::BenchmarkFacts;
using runners::PossibleArrangements;
using runners::RunFailure;

bool has(const PossibleArrangements& possible, runners::Pairing pairing) {
  return std::any_of(possible.arrangements.begin(), possible.arrangements.end(),
                     [&](const Arrangement& one) { return one.pairing == pairing; });
}

/// Without the pairings that the spec or a person does not want.
PossibleArrangements wanted(PossibleArrangements possible, const MeasurementRequest& request) {
  const auto keep = [&](runners::Pairing pairing) {
    std::erase_if(possible.arrangements, [&](const Arrangement& one) { return one.pairing != pairing; });
  };
  const auto usual = runners::pairing_named(request.usual_pairing);
  if (usual && has(possible, *usual)) keep(*usual);
  if (!request.asked_pairing) return possible;
  const runners::Pairing asked = *request.asked_pairing;
  keep(asked);
  if (!possible.arrangements.empty()) return possible;
  std::string why = "it does not suit this kind of program";
  for (const auto& refused : possible.refused) {
    if (refused.pairing == asked) why = refused.why;
  }
  throw InputError(
      fmt::format("--pairing {} is not possible for {}: {}", name_of(asked), request.benchmark, why));
}

/// Whether the calibration says how the benchmark is measured here.
bool holds(const analysis::Calibration& calibration, const MeasurementRequest& request) {
  constexpr std::size_t fewest_launches = 6;  // as many as the short A/A that it stands for
  return calibration.noise.launches >= fewest_launches &&
         (request.host.empty() || calibration.host == request.host);
}

}  // namespace

runners::SliceShape shape_of(runners::Protocol protocol, const BenchmarkFacts& facts,
                             const Arrangement& arrangement) {
  runners::SliceShape shape;
  if (protocol == runners::Protocol::slices) shape = runners::shape_for(facts, arrangement);
  if (facts.threads > 1) shape.waiting = runners::SliceShape::Waiting::frozen;
  shape.pairing = arrangement.pairing;
  return shape;
}

MeasurementPlan plan_measurement(const MeasurementRequest& request, const BenchmarkFacts& facts,
                                 PossibleArrangements possible) {
  MeasurementPlan plan;
  plan.facts = facts;
  plan.possible = wanted(std::move(possible), request);
  Arrangement screen = plan.possible.arrangements.front();
  Arrangement confirmation = screen;
  const auto& calibration = request.calibration;
  if (calibration && !request.asked_pairing && holds(*calibration, request) &&
      has(plan.possible, calibration->chosen.pairing)) {
    screen = calibration->chosen;
    const Arrangement calmer = analysis::for_confirmation(*calibration);
    if (has(plan.possible, calmer.pairing)) confirmation = calmer;
    const auto sigma = analysis::expected_sigma(*calibration);
    plan.prior = PriorSigma{sigma.median, sigma.total};
  }
  plan.screen = {request.protocol, request.benchmark, shape_of(request.protocol, facts, screen)};
  plan.confirmation = {request.protocol, request.benchmark, shape_of(request.protocol, facts, confirmation)};
  analysis::MarginFacts margin;
  margin.configured = request.margin;
  const bool of_this_host = calibration && (request.host.empty() || calibration->host == request.host);
  if (of_this_host) margin.layout_spread = calibration->layout_spread;
  if (request.protocol == runners::Protocol::slices) margin.seconds_per_iteration = facts.iteration_ns * 1e-9;
  plan.margin = analysis::margin_of(margin);
  return plan;
}

std::variant<MeasurementPlan, RunFailure> plan_measurement(runners::PairRunner& runner,
                                                           const MeasurementRequest& request,
                                                           const std::stop_token& stop) {
  BenchmarkFacts facts;
  facts.threads = request.threads;
  if (request.protocol == runners::Protocol::slices) {
    auto looked = runner.look_at(request.pair, request.benchmark, stop);
    if (auto* failure = std::get_if<RunFailure>(&looked)) return std::move(*failure);
    facts = std::get<BenchmarkFacts>(looked);
  }
  return plan_measurement(
      request, facts,
      runners::possible_arrangements(request.protocol, facts, request.cpus, runners::available_memory()));
}

ScreeningSettings MeasurementPlan::screening(std::size_t max_launches, std::uint64_t seed) const {
  ScreeningSettings settings;
  settings.margin = margin.value;
  settings.max_launches = max_launches;
  settings.seed = seed;
  if (prior) settings.priors[series_key(screen.benchmark, {})] = *prior;
  return settings;
}

}  // namespace tandem::daemon
