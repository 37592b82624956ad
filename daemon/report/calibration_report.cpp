#include "daemon/report/calibration_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/screen.hpp"
#include "daemon/records/calibration_json.hpp"
#include "daemon/records/verdict_json.hpp"
#include "daemon/records/wording.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

using analysis::Calibration;
using analysis::TriedArrangement;
using nlohmann::ordered_json;

/// "-0.02 %".
std::string signed_percentage(double share) {
  return fmt::format("{:+.2f} %", 100 * share);
}

/// "alternate, slices of 0.2 ms"; whole processes have no slices.
std::string name_of_way(const runners::Arrangement& arrangement, std::size_t pairs) {
  if (pairs == 0) return name_of(arrangement.pairing);
  const double milliseconds = std::chrono::duration<double, std::milli>(arrangement.slice).count();
  return fmt::format("{}, {} pairs of {:.4g} ms slices", name_of(arrangement.pairing), pairs, milliseconds);
}

/// All launches may agree to the last digit the clock shows.
std::string shown_noise(double sigma) {
  return sigma > 0 ? percentage(sigma) : "too small to be seen";
}

/// Beside the first, which was chosen, the others say how much dearer the same knowledge is with them.
std::string tried_line(const TriedArrangement& tried, const Calibration& calibration) {
  const TriedArrangement& chosen = calibration.tried.front();
  std::string line = "    " + name_of_way(tried.arrangement, tried.pairs);
  if (tried.noise.launches > 0) {
    line += fmt::format(": noise {}, {:.3g} s a launch, {} launches", shown_noise(tried.noise.sigma),
                        tried.noise.cost.seconds, tried.noise.launches);
  }
  const double price = analysis::price_of(tried.noise) / analysis::price_of(chosen.noise);
  if (&tried == &chosen) {
    line += "; chosen";
  } else if (tried.noise.launches > 0 && std::isfinite(price) && price > 0) {
    line += fmt::format("; {:.{}f} times the machine time", price, price < 10 ? 1 : 0);
  }
  const double effect =
      analysis::minimum_detectable_effect(tried.noise.sigma, calibration.margin, calibration.most_launches);
  const bool noisy = tried.noise.launches > 0 && effect > 2 * calibration.margin;
  const std::string how =
      noisy ? fmt::format("too noisy, it finds only changes of {}", percentage(effect)) : "";
  if (noisy && &tried == &chosen) line += "; " + how;
  if (noisy && &tried != &chosen) line += "; refused: " + how;
  if (!tried.refused.empty()) line += fmt::format("; refused: {}", tried.refused);
  return line + "\n";
}

std::string noise_lines(const Calibration& calibration) {
  const analysis::LaunchNoise& noise = calibration.noise;
  std::string text =
      noise.sigma > 0
          ? fmt::format(
                "  noise of a launch {} (in total time {}), the largest of {} launches {:.1f} times that\n",
                percentage(noise.sigma), shown_noise(noise.sigma_total), noise.launches, noise.tail)
          : fmt::format("  noise of a launch {} (in total time {}), {} launches agree\n",
                        shown_noise(noise.sigma), shown_noise(noise.sigma_total), noise.launches);
  text += fmt::format("  slot bias {}", signed_percentage(std::expm1(noise.slot_bias)));
  if (noise.slot_bias_low != noise.slot_bias_high) {
    text += fmt::format(", 95 % interval {} to {}", signed_percentage(std::expm1(noise.slot_bias_low)),
                        signed_percentage(std::expm1(noise.slot_bias_high)));
  }
  return text + "\n";
}

std::string benchmark_block(const Calibration& calibration) {
  std::string text =
      fmt::format("{}: {}\n", calibration.benchmark, name_of_way(calibration.chosen, calibration.pairs));
  if (!calibration.unfit.empty()) text += fmt::format("  UNFIT: {}\n", calibration.unfit);
  text += noise_lines(calibration);
  text += "  slow-down beside itself ";
  text += calibration.slow_down ? fmt::format("{:.2f}", *calibration.slow_down) : "unknown";
  text += calibration.recovered
              ? fmt::format(", found {:.0f} % of a planted slowdown\n", 100 * *calibration.recovered)
              : ", no planted slowdown\n";
  if (calibration.layout_spread) {
    text += *calibration.layout_spread > 0
                ? fmt::format("  layouts move it by {}\n", percentage(*calibration.layout_spread))
                : "  layouts do not move it\n";
  }
  text += fmt::format("  a screen finds a change of {} (margin {}, at most {} launches){}\n",
                      percentage(calibration.minimum_detectable_effect), percentage(calibration.margin),
                      calibration.most_launches,
                      is_unmeasurable(calibration) ? ": unmeasurable at this margin" : "");
  if (!calibration.note.empty()) text += fmt::format("  {}\n", calibration.note);
  text += "  tried:\n";
  for (const TriedArrangement& one : calibration.tried) text += tried_line(one, calibration);
  return text;
}

std::string host_line(const std::vector<Calibration>& all) {
  if (all.empty()) return "host: nothing could be measured\n";
  const auto host = analysis::host_noise(all);
  const auto poor = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_unmeasurable));
  std::string text = fmt::format("host: noise floor {}, ", shown_noise(host.floor));
  text += host.unfit.empty() ? "fit" : "UNFIT: " + host.unfit;
  if (poor > 0) text += fmt::format("; {} of {} unmeasurable at their margin", poor, all.size());
  return text + "\n";
}

ordered_json host_json(const std::vector<Calibration>& all, const std::string& identity) {
  const auto host = analysis::host_noise(all);
  return {{"identity", identity},
          {"noise_floor", all.empty() ? ordered_json(nullptr) : ordered_json(host.floor)},
          {"unfit", host.unfit}};
}

}  // namespace

std::string calibration_text(const HostCalibration& calibration) {
  std::string text;
  for (const Calibration& one : calibration.benchmarks) text += benchmark_block(one);
  for (const auto& [benchmark, failure] : calibration.failed) {
    text += fmt::format("{}: failed: {}\n", benchmark, failure.what);
  }
  return text + host_line(calibration.benchmarks);
}

std::string calibration_json(const HostCalibration& calibration) {
  ordered_json benchmarks = ordered_json::array();
  for (const Calibration& one : calibration.benchmarks) benchmarks.push_back(to_json(one));
  ordered_json failed = ordered_json::array();
  for (const auto& [benchmark, failure] : calibration.failed) {
    failed.push_back({{"benchmark", benchmark}, {"failure", to_json(failure)}});
  }
  return document_text({{"schema", "tandem.calibration/1"},
                        {"program", calibration.program.string()},
                        {"arguments", calibration.arguments},
                        {"protocol", runners::name_of(calibration.protocol)},
                        {"margin", calibration.margin},
                        {"seed", calibration.seed},
                        {"host", host_json(calibration.benchmarks, calibration.host)},
                        {"benchmarks", std::move(benchmarks)},
                        {"failed", std::move(failed)},
                        {"exit_code", exit_code(calibration)},
                        {"seconds", calibration.seconds}});
}

std::string kept_calibrations_text(const std::vector<KeptCalibration>& kept) {
  if (kept.empty()) return "no calibration is stored\n";
  std::string text;
  for (const KeptCalibration& one : kept) {
    text += fmt::format("{}, {}, {}\n", one.key.watch, one.key.platform, iso_time(one.calibration.at));
    text += benchmark_block(one.calibration);
  }
  return text;
}

std::string kept_calibrations_json(const std::vector<KeptCalibration>& kept) {
  ordered_json list = ordered_json::array();
  for (const KeptCalibration& one : kept) {
    list.push_back({{"watch", one.key.watch},
                    {"platform", one.key.platform},
                    {"calibration", to_json(one.calibration)}});
  }
  return document_text({{"schema", "tandem.calibrations/1"}, {"calibrations", std::move(list)}});
}

}  // namespace tandem::daemon::report
