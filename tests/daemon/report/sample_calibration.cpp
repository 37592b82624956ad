#include "daemon/report/sample_calibration.hpp"

#include <cmath>

#include "analysis/screen.hpp"

namespace tandem::tests {

using analysis::Calibration;
using analysis::LaunchNoise;
using analysis::TriedArrangement;
using runners::Pairing;
using std::chrono::microseconds;
using std::chrono::milliseconds;

Calibration sample_calibration(const std::string& benchmark) {
  LaunchNoise noise;
  noise.launches = 28;
  noise.sigma = 0.1 / 27;
  noise.sigma_total = 0.0051;
  noise.slot_bias = -0.0002;
  noise.slot_bias_low = -0.0015;
  noise.slot_bias_high = 0.0011;
  noise.tail = 2.91;
  noise.within = 0.031;
  noise.cost = {0.171, 0.12};

  TriedArrangement turns;
  turns.arrangement = {Pairing::alternate, microseconds{200}, milliseconds{120}};
  turns.pairs = 300;
  turns.noise = noise;
  turns.recovery = analysis::Recovery{std::log(1.05), 0.0478, 0.0481, 0.0003, 6};
  turns.slow_down = 1.013;

  TriedArrangement duet = turns;
  duet.arrangement = {Pairing::duet, milliseconds{1}, milliseconds{120}};
  duet.pairs = 60;
  duet.noise.sigma = 0.35;
  duet.noise.launches = 4;
  duet.recovery.reset();
  duet.slow_down = 1.62;
  duet.refused = "both at once take 1.62 times as long as one alone, and 1.3 is the most";

  TriedArrangement impossible;
  impossible.arrangement = {Pairing::process_together, {}, {}};
  impossible.refused = "the host has no two processor cores for it";

  Calibration calibration;
  calibration.benchmark = benchmark;
  calibration.chosen = turns.arrangement;
  calibration.pairs = turns.pairs;
  calibration.noise = noise;
  calibration.slow_down = turns.slow_down;
  calibration.recovered = 0.98;
  calibration.layout_spread = 0.0043;
  calibration.minimum_detectable_effect = analysis::minimum_detectable_effect(noise.sigma, 0.01, 66);
  calibration.tried = {turns, duet, impossible};
  calibration.host =
      "kernel 6.1.0, Example CPU, microcode 0x2b, governor performance, turbo off, SMT on, 8 processors";
  calibration.at = 1'704'705'120;
  calibration.seconds = 23.4;
  return calibration;
}

daemon::HostCalibration sample_host_calibration() {
  daemon::HostCalibration host;
  host.program = "/builds/program";
  host.arguments = {"--threads", "1"};
  host.seed = 42;
  host.host = sample_calibration("").host;
  host.seconds = 71.5;
  host.benchmarks = {sample_calibration("compute"), sample_calibration("unfit"),
                     sample_calibration("process")};
  Calibration& unfit = host.benchmarks[1];
  unfit.unfit =
      "nothing measures it soundly on this host: alternate: one slot takes 5.13 % more than the other "
      "(95 % interval 4.90 % to 5.36 %)";
  unfit.tried[0].refused = unfit.unfit.substr(unfit.unfit.find("one slot"));
  Calibration& process = host.benchmarks[2];
  process.chosen = process.tried[0].arrangement = {Pairing::process, {}, {}};
  process.pairs = process.tried[0].pairs = 0;
  process.tried.resize(1);
  process.noise.sigma = process.tried[0].noise.sigma = 0.09;
  process.noise.slot_bias_low = process.noise.slot_bias_high = 0;
  process.noise.launches = process.tried[0].noise.launches = 2;
  process.slow_down.reset();
  process.recovered.reset();
  process.layout_spread.reset();
  process.tried[0].recovery.reset();
  process.tried[0].slow_down.reset();
  process.minimum_detectable_effect = analysis::minimum_detectable_effect(0.09, 0.01, 66);
  process.note = "whole processes have no positive control; only 2 launches of 9 s fitted into 30 s";
  host.failed = {{"crashes",
                  {runners::Side::control, 0, runners::RunFailure::Reason::crashed,
                   "control was killed by signal 11 (Segmentation fault)"}}};
  return host;
}

}  // namespace tandem::tests
