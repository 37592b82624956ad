#include "daemon/walk/arranging.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

bool is_possible(const runners::PossibleArrangements& possible, const runners::Arrangement& arrangement) {
  return std::any_of(possible.arrangements.begin(), possible.arrangements.end(),
                     [&](const auto& one) { return one.pairing == arrangement.pairing; });
}

}  // namespace

Arranged arranged(const std::optional<analysis::Calibration>& calibration,
                  const runners::PossibleArrangements& possible, const std::string& host) {
  const runners::Arrangement usual = possible.arrangements.front();
  Arranged result{usual, usual, std::nullopt};
  constexpr std::size_t fewest_launches = 6;  // as many as the short A/A that it stands for
  if (!calibration || calibration->noise.launches < fewest_launches) return result;
  if (!host.empty() && calibration->host != host) return result;
  if (!is_possible(possible, calibration->chosen)) return result;
  result.screen = calibration->chosen;
  result.confirmation = analysis::for_confirmation(*calibration);
  if (!is_possible(possible, result.confirmation)) result.confirmation = usual;
  const auto sigma = analysis::expected_sigma(*calibration);
  result.prior = PriorSigma{sigma.median, sigma.total};
  return result;
}

runners::PossibleArrangements possible_for(const Test& test, runners::Protocol protocol,
                                           const runners::BenchmarkFacts& facts,
                                           const runners::CpuChoice& host) {
  auto possible =
      runners::possible_arrangements(protocol, facts, cpus_of(test, host), runners::available_memory());
  const auto wanted = runners::pairing_named(test.spec.pairing);
  const auto has = [&](const runners::Arrangement& one) { return one.pairing == wanted; };
  auto& all = possible.arrangements;
  if (wanted && std::any_of(all.begin(), all.end(), has))
    std::erase_if(all, [&](const runners::Arrangement& one) { return !has(one); });
  return possible;
}

runners::PossibleArrangements as_asked(runners::PossibleArrangements possible, runners::Pairing pairing,
                                       const std::string& benchmark) {
  std::erase_if(possible.arrangements, [&](const auto& one) { return one.pairing != pairing; });
  if (!possible.arrangements.empty()) return possible;
  std::string why = "it does not suit this kind of program";
  for (const auto& refused : possible.refused) {
    if (refused.pairing == pairing) why = refused.why;
  }
  throw InputError(fmt::format("--pairing {} is not possible for {}: {}", name_of(pairing), benchmark, why));
}

runners::SliceShape shape_of(runners::Protocol protocol, const runners::BenchmarkFacts& facts,
                             const runners::Arrangement& arrangement) {
  runners::SliceShape shape;
  if (protocol == runners::Protocol::slices) shape = runners::shape_for(facts, arrangement);
  if (facts.threads > 1) shape.waiting = runners::SliceShape::Waiting::frozen;
  shape.pairing = arrangement.pairing;
  return shape;
}

}  // namespace tandem::daemon
