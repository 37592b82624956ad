#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>

#include "analysis/screen.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::analysis {

/// Seeded noise that is the same with every compiler and library.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : bits_(seed) {}

  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits_.next() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }
  /// Student's t with three degrees of freedom: heavy tails, no finite third moment.
  double heavy() {
    const double z = normal();
    const double a = normal(), b = normal(), c = normal();
    return z / std::sqrt((a * a + b * b + c * c) / 3);
  }
  /// Normal, but one in twenty is ten times as wide.
  double spiky() { return normal() * (uniform() < 0.05 ? 10 : 1); }
  /// +1 or -1.
  double coin() { return bits_.next() >> 63 == 0 ? 1.0 : -1.0; }
  std::size_t below(std::size_t bound) { return bits_.next() % bound; }

 private:
  tandem::Random bits_;
};

/// Slot differences that follow each other: AR(1) with correlation 0.7 and standard deviation 1.
class Drift {
 public:
  double next(Noise& noise) { return state_ = 0.7 * state_ + std::sqrt(1 - 0.7 * 0.7) * noise.normal(); }

 private:
  double state_ = 0.0;
};

/// How a number of simulated screens ended.
struct Tally {
  std::size_t screens = 0;
  std::size_t slower = 0;
  std::size_t faster = 0;
  std::size_t unchanged = 0;
  std::size_t inconclusive = 0;
  std::size_t launches = 0;

  [[nodiscard]] double share(std::size_t count) const {
    return static_cast<double>(count) / static_cast<double>(screens);
  }
  [[nodiscard]] double mean_launches() const { return share(launches); }
};

using NextLaunch = std::function<LaunchStatistics()>;

inline Verdict run_screen(const ScreenSettings& settings, const NextLaunch& next) {
  Screen screen(settings);
  while (!screen.outcome()) screen.advance(next());
  return screen.verdict();
}

/// `start` begins one screen and gives the source of its launches.
inline Tally run_screens(std::size_t count, const ScreenSettings& settings,
                         const std::function<NextLaunch()>& start) {
  Tally tally;
  for (; tally.screens < count; ++tally.screens) {
    Screen screen(settings);
    const NextLaunch next = start();
    while (!screen.outcome()) screen.advance(next());
    tally.launches += screen.history().launches.size();
    switch (*screen.outcome()) {
      case Outcome::slower:
        ++tally.slower;
        break;
      case Outcome::faster:
        ++tally.faster;
        break;
      case Outcome::unchanged:
        ++tally.unchanged;
        break;
      default:
        ++tally.inconclusive;
    }
  }
  return tally;
}

}  // namespace tandem::analysis
