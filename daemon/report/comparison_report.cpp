#include "daemon/report/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/screen.hpp"
#include "daemon/records/verdict_json.hpp"
#include "daemon/records/wording.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

using analysis::Calibration;
using analysis::Outcome;
using analysis::TriedArrangement;
using nlohmann::ordered_json;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

std::string percent(double share) {
  const double value = 100 * std::abs(share);
  return fmt::format("{:.{}f} %", value, value < 9.95 ? 2 : 1);
}

std::string effort(const Screened& screened) {
  return fmt::format("{} launches in {:.1f} s", screened.verdict.launches, seconds(screened.time));
}

/// "8.1 % higher peak_memory", or what left its limit.
std::string other_change(const Screened& screened) {
  const specs::Metric& metric = screened.metric;
  if (!metric.limit) return change_phrase(metric, screened.verdict.ratio.estimate);
  return fmt::format("{} {} the limit of {:g} {}", metric.name,
                     screened.verdict.outcome == Outcome::slower ? "leaves" : "is back within", *metric.limit,
                     metric.unit);
}

std::string closing_sentence(const Comparison& comparison) {
  std::size_t slower = 0;
  std::size_t other = 0;
  std::size_t failing = 0;
  for (const Screened& one : comparison.benchmarks) {
    const Outcome outcome = one.verdict.outcome;
    if (outcome == Outcome::slower) ++slower;
    if (outcome == Outcome::treatment_fails) ++failing;
    const bool unknown = outcome == Outcome::inconclusive && one.rank == Screened::Rank::primary;
    if (outcome == Outcome::failed || outcome == Outcome::control_fails || unknown) ++other;
  }
  const auto said = [&](std::size_t number, const char* what) {
    return fmt::format("{} of {} {}", number, comparison.benchmarks.size(), what);
  };
  const std::string sentence = failing > 0  ? said(failing, "fail in the treatment alone")
                               : slower > 0 ? said(slower, "slower")
                               : other > 0  ? said(other, "without a verdict")
                                            : "nothing slower";
  return fmt::format("{}, {:.1f} s in all", sentence, seconds(comparison.time));
}

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

/// The noise is 0 if all launches agree to the last digit that the clock shows.
std::string shown_noise(double sigma) {
  return sigma > 0 ? percentage(sigma) : "too small to be seen";
}

/// The first was chosen; each of the others says how much more machine time it needs for the same knowledge.
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

std::string verdict_sentence(const Screened& screened) {
  const analysis::Verdict& verdict = screened.verdict;
  const char* rare = verdict.decided_by_total ? " in total time (rare slices, not the typical one)" : "";
  const std::string reason = screened.failure ? screened.failure->what : "too many launches failed";
  switch (verdict.outcome) {
    case Outcome::slower:
    case Outcome::faster: {
      const bool slower = verdict.outcome == Outcome::slower;
      const std::string what =
          is_time(screened.metric)
              ? fmt::format("{} by {}", slower ? "slower" : "faster", percent(verdict.ratio.estimate - 1))
              : fmt::format("{}, {}", slower ? "worse" : "better", other_change(screened));
      return fmt::format("{}{} ({}), {}", what, rare, ratio_phrase(verdict.ratio), effort(screened));
    }
    case Outcome::unchanged:
      return fmt::format("unchanged within {} ({}), {}", percent(verdict.margin), ratio_phrase(verdict.ratio),
                         effort(screened));
    case Outcome::inconclusive:
      if (screened.failure) return fmt::format("inconclusive: {}", screened.failure->what);
      if (std::min(verdict.median.not_slower, verdict.median.not_faster) >= analysis::decisive_unchanged) {
        return fmt::format(
            "inconclusive: the typical value is unchanged ({}), but the total scatters too much ({}), {}",
            ratio_phrase(verdict.median_ratio), ratio_phrase(verdict.total_ratio), effort(screened));
      }
      return fmt::format(
          "inconclusive ({}), {}; a change of {} would have been found: raise --margin or --max_launches",
          ratio_phrase(verdict.ratio), effort(screened), percent(verdict.minimum_detectable_effect));
    case Outcome::unmeasurable:
      return fmt::format("not measurable here: only a change of {} would be found",
                         percent(verdict.minimum_detectable_effect));
    case Outcome::failed:
      return fmt::format("failed: {}", reason);
    case Outcome::treatment_fails:
      return fmt::format("the treatment fails, the control runs: {}", reason);
    case Outcome::control_fails:
      return fmt::format("the control fails, the treatment runs: {}", reason);
    case Outcome::identical:
      return "identical, not run";
  }
  return {};
}

std::string comparison_text(const Comparison& comparison) {
  if (comparison.identical) {
    return "identical: the two executables are the same, byte for byte, and were not run "
           "(--measure_identical runs them all the same)\n";
  }
  std::string text;
  for (const Screened& screened : comparison.benchmarks) {
    text +=
        fmt::format("{}: {}\n", series_name(screened.benchmark, screened.metric), verdict_sentence(screened));
  }
  for (const std::string& name : comparison.missing)
    text += fmt::format("{}: missing in the treatment\n", name);
  for (const std::string& name : comparison.added) text += fmt::format("{}: new in the treatment\n", name);
  return text + closing_sentence(comparison) + "\n";
}

std::string comparison_json(const Comparison& comparison) {
  ordered_json benchmarks = ordered_json::array();
  for (const Screened& screened : comparison.benchmarks) {
    ordered_json entry = {{"benchmark", screened.benchmark},
                          {"metric", screened.metric.name},
                          {"unit", screened.metric.unit},
                          {"direction", name_of(screened.metric.direction)},
                          {"pairing", runners::name_of(screened.pairing)},
                          {"sentence", verdict_sentence(screened)},
                          {"verdict", to_json(screened.verdict)},
                          {"seconds", seconds(screened.time)}};
    if (screened.failure) entry["failure"] = to_json(*screened.failure);
    benchmarks.push_back(std::move(entry));
  }
  return document_text({{"schema", "tandem.comparison/1"},
                        {"control", comparison.control.string()},
                        {"treatment", comparison.treatment.string()},
                        {"arguments", comparison.arguments},
                        {"protocol", runners::name_of(comparison.protocol)},
                        {"layout", "unresolved"},
                        {"margin", comparison.margin},
                        {"seed", comparison.seed},
                        {"identical", comparison.identical},
                        {"benchmarks", std::move(benchmarks)},
                        {"missing", comparison.missing},
                        {"new", comparison.added},
                        {"exit_code", exit_code(comparison)},
                        {"seconds", seconds(comparison.time)},
                        {"host", to_json(comparison.host)}});
}

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
