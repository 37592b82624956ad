#include "daemon/records/verdict_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

#include "daemon/records/comparison.hpp"
#include "daemon/records/json_values.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/wall_clock.hpp"

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

analysis::Evidence evidence_from_json(const Json& value) {
  return {number_at(value, "slower"), number_at(value, "faster"), number_at(value, "not_slower"),
          number_at(value, "not_faster")};
}

/// A fact that could not be read is null.
template <class T>
std::optional<T> fact_at(const Json& object, const char* name, T (*read)(const Json&, const char*)) {
  if (member(object, name).is_null()) return std::nullopt;
  return read(object, name);
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

analysis::RatioInterval ratio_from_json(const ordered_json& value) {
  return {number_at(value, "estimate"), number_at(value, "low"), number_at(value, "high"),
          number_at(value, "level")};
}

analysis::Verdict verdict_from_json(const ordered_json& value) {
  analysis::Verdict verdict;
  verdict.outcome = outcome_at(value, "outcome");
  verdict.ratio = ratio_from_json(member(value, "ratio"));
  verdict.margin = number_at(value, "margin");
  verdict.sigma = number_at(value, "sigma");
  verdict.minimum_detectable_effect = number_at(value, "minimum_detectable_effect");
  verdict.launches = count_at(value, "launches");
  verdict.failed_launches = count_at(value, "failed_launches");
  const Json& evidence = member(value, "evidence");
  verdict.median = evidence_from_json(member(evidence, "median"));
  verdict.total = evidence_from_json(member(evidence, "total"));
  verdict.median_ratio = ratio_from_json(member(value, "median_ratio"));
  verdict.total_ratio = ratio_from_json(member(value, "total_ratio"));
  verdict.decided_by_total =
      choice_at(value, "decided_by", {true, false}, [](bool total) { return total ? "total" : "median"; });
  verdict.statistics_disagree = truth_at(value, "statistics_disagree");
  return verdict;
}

runners::MachineFacts machine_facts_from_json(const ordered_json& value) {
  runners::MachineFacts facts;
  facts.kernel = text_at(value, "kernel");
  facts.cpu_model = fact_at(value, "cpu_model", text_at);
  facts.microcode = fact_at(value, "microcode", text_at);
  facts.processors = static_cast<unsigned>(count_at(value, "processors"));
  facts.governor = fact_at(value, "governor", text_at);
  facts.turbo = fact_at(value, "turbo", truth_at);
  facts.smt = fact_at(value, "smt", truth_at);
  facts.address_randomisation = fact_at(value, "address_randomisation", truth_at);
  facts.load = fact_at(value, "load", number_at);
  facts.steal_share = fact_at(value, "steal_share", number_at);
  return facts;
}

specs::Direction direction_at(const ordered_json& object, const char* name) {
  return choice_at(object, name, {specs::Direction::lower_is_better, specs::Direction::higher_is_better},
                   [](specs::Direction one) { return name_of(one); });
}

std::string document_text(const ordered_json& document) {
  return escaped_json(document.dump(2, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

std::string verdict_text(const analysis::Verdict& verdict) {
  return to_json(verdict).dump();
}

analysis::Verdict verdict_from_text(const std::string& text) {
  const ordered_json value = ordered_json::parse(text, nullptr, false);
  if (value.is_discarded()) throw Error("the text of a verdict is not JSON");
  return verdict_from_json(value);
}

namespace {

using analysis::Calibration;
using analysis::LaunchNoise;
using analysis::Recovery;
using analysis::TriedArrangement;
using runners::Arrangement;

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

std::optional<double> number_or_null_at(const Json& object, const char* name) {
  if (member(object, name).is_null()) return std::nullopt;
  return number_at(object, name);
}

Json calibration_part(const Arrangement& arrangement, std::size_t pairs) {
  return {{"pairing", name_of(arrangement.pairing)},
          {"slice_ns", static_cast<std::uint64_t>(arrangement.slice.count())},
          {"launch_ns", static_cast<std::uint64_t>(arrangement.launch_time.count())},
          {"pairs", pairs}};
}

Arrangement arrangement_from(const Json& value) {
  const auto pairing = runners::pairing_named(text_at(value, "pairing"));
  if (!pairing) throw Error("\"" + text_at(value, "pairing") + "\" is no pairing");
  const auto time = [&](const char* name) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(count_at(value, name)));
  };
  return {*pairing, time("slice_ns"), time("launch_ns")};
}

Json calibration_part(const LaunchNoise& noise) {
  return {{"launches", noise.launches},
          {"sigma", noise.sigma},
          {"sigma_total", noise.sigma_total},
          {"slot_bias",
           {{"estimate", noise.slot_bias}, {"low", noise.slot_bias_low}, {"high", noise.slot_bias_high}}},
          {"tail", noise.tail},
          {"within", noise.within},
          {"launch_seconds", noise.cost.seconds},
          {"slices_seconds", noise.cost.slices_seconds}};
}

LaunchNoise noise_from(const Json& value) {
  LaunchNoise noise;
  noise.launches = count_at(value, "launches");
  noise.sigma = number_at(value, "sigma");
  noise.sigma_total = number_at(value, "sigma_total");
  const Json& bias = member(value, "slot_bias");
  noise.slot_bias = number_at(bias, "estimate");
  noise.slot_bias_low = number_at(bias, "low");
  noise.slot_bias_high = number_at(bias, "high");
  noise.tail = number_at(value, "tail");
  noise.within = number_at(value, "within");
  noise.cost = {number_at(value, "launch_seconds"), number_at(value, "slices_seconds")};
  return noise;
}

Json calibration_part(const std::optional<Recovery>& recovery) {
  if (!recovery) return nullptr;
  return {{"planted", recovery->planted},
          {"median", recovery->median},
          {"total", recovery->total},
          {"apart_error", recovery->apart_error},
          {"launches", recovery->launches}};
}

std::optional<Recovery> recovery_from(const Json& value) {
  if (value.is_null()) return std::nullopt;
  Recovery recovery;
  recovery.planted = number_at(value, "planted");
  recovery.median = number_at(value, "median");
  recovery.total = number_at(value, "total");
  recovery.apart_error = number_at(value, "apart_error");
  recovery.launches = count_at(value, "launches");
  return recovery;
}

Json calibration_part(const TriedArrangement& tried) {
  return {{"arrangement", calibration_part(tried.arrangement, tried.pairs)},
          {"noise", calibration_part(tried.noise)},
          {"recovery", calibration_part(tried.recovery)},
          {"slow_down", number_or_null(tried.slow_down)},
          {"refused", tried.refused}};
}

TriedArrangement tried_from(const Json& value) {
  TriedArrangement tried;
  const Json& arrangement = member(value, "arrangement");
  tried.arrangement = arrangement_from(arrangement);
  tried.pairs = count_at(arrangement, "pairs");
  tried.noise = noise_from(member(value, "noise"));
  tried.recovery = recovery_from(member(value, "recovery"));
  tried.slow_down = number_or_null_at(value, "slow_down");
  tried.refused = text_at(value, "refused");
  return tried;
}

}  // namespace

Json to_json(const Calibration& calibration) {
  Json tried = Json::array();
  for (const TriedArrangement& one : calibration.tried) tried.push_back(calibration_part(one));
  return {{"benchmark", calibration.benchmark},
          {"margin", calibration.margin},
          {"chosen", calibration_part(calibration.chosen, calibration.pairs)},
          {"noise", calibration_part(calibration.noise)},
          {"slow_down", number_or_null(calibration.slow_down)},
          {"recovered", number_or_null(calibration.recovered)},
          {"layout_spread", number_or_null(calibration.layout_spread)},
          {"minimum_detectable_effect", calibration.minimum_detectable_effect},
          {"most_launches", calibration.most_launches},
          {"unmeasurable", is_unmeasurable(calibration)},
          {"unfit", calibration.unfit},
          {"note", calibration.note},
          {"tried", std::move(tried)},
          {"host", calibration.host},
          {"at", iso_time(calibration.at)},
          {"seconds", calibration.seconds}};
}

Calibration calibration_from_json(const Json& value) {
  Calibration calibration;
  calibration.benchmark = text_at(value, "benchmark");
  calibration.margin = number_at(value, "margin");
  const Json& chosen = member(value, "chosen");
  calibration.chosen = arrangement_from(chosen);
  calibration.pairs = count_at(chosen, "pairs");
  calibration.noise = noise_from(member(value, "noise"));
  calibration.slow_down = number_or_null_at(value, "slow_down");
  calibration.recovered = number_or_null_at(value, "recovered");
  calibration.layout_spread = number_or_null_at(value, "layout_spread");
  calibration.minimum_detectable_effect = number_at(value, "minimum_detectable_effect");
  calibration.most_launches = count_at(value, "most_launches");
  calibration.unfit = text_at(value, "unfit");
  calibration.note = text_at(value, "note");
  const Json& tried = member(value, "tried");
  if (!tried.is_array()) throw Error("\"tried\" must be an array");
  for (const Json& one : tried) calibration.tried.push_back(tried_from(one));
  calibration.host = text_at(value, "host");
  calibration.at = time_at(value, "at");
  calibration.seconds = number_at(value, "seconds");
  return calibration;
}

std::string calibration_line(const Calibration& calibration) {
  return to_json(calibration).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Calibration calibration_from_line(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) throw Error("a calibration is not JSON");
  return calibration_from_json(value);
}

}  // namespace tandem::daemon::report
