#include "daemon/report/verdict_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace tandem::daemon::report {
namespace {

using nlohmann::ordered_json;

/// JSON knows no infinity: a bound that is none is null.
ordered_json finite(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

template <class T>
ordered_json or_null(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json evidence_json(const analysis::Evidence& evidence) {
  return {{"slower", evidence.slower},
          {"faster", evidence.faster},
          {"not_slower", evidence.not_slower},
          {"not_faster", evidence.not_faster}};
}

}  // namespace

ordered_json to_json(const analysis::RatioInterval& ratio) {
  return {{"estimate", finite(ratio.estimate)},
          {"low", finite(ratio.low)},
          {"high", finite(ratio.high)},
          {"level", ratio.level}};
}

ordered_json to_json(const analysis::Verdict& verdict) {
  return {{"outcome", analysis::name_of(verdict.outcome)},
          {"ratio", to_json(verdict.ratio)},
          {"margin", verdict.margin},
          {"sigma", verdict.sigma},
          {"minimum_detectable_effect", finite(verdict.minimum_detectable_effect)},
          {"launches", verdict.launches},
          {"failed_launches", verdict.failed_launches},
          {"evidence", {{"median", evidence_json(verdict.median)}, {"total", evidence_json(verdict.total)}}},
          {"median_ratio", to_json(verdict.median_ratio)},
          {"total_ratio", to_json(verdict.total_ratio)},
          {"decided_by", verdict.decided_by_total ? "total" : "median"},
          {"statistics_disagree", verdict.statistics_disagree}};
}

ordered_json to_json(const runners::MachineFacts& facts) {
  return {{"kernel", facts.kernel},
          {"cpu_model", or_null(facts.cpu_model)},
          {"microcode", or_null(facts.microcode)},
          {"processors", facts.processors},
          {"governor", or_null(facts.governor)},
          {"turbo", or_null(facts.turbo)},
          {"smt", or_null(facts.smt)},
          {"address_randomisation", or_null(facts.address_randomisation)},
          {"load", or_null(facts.load)},
          {"steal_share", or_null(facts.steal_share)}};
}

ordered_json to_json(const runners::RunFailure& failure) {
  return {{"side", runners::name_of(failure.side)},
          {"launch", failure.launch},
          {"reason", runners::name_of(failure.reason)},
          {"what", failure.what}};
}

const char* name_of(specs::Direction direction) {
  return direction == specs::Direction::lower_is_better ? "lower_is_better" : "higher_is_better";
}

}  // namespace tandem::daemon::report
