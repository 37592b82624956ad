#include "daemon/records/calibration_json.hpp"

#include <nlohmann/json.hpp>

#include "daemon/records/host_calibration.hpp"
#include "daemon/records/json_values.hpp"
#include "daemon/records/verdict_json.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
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
