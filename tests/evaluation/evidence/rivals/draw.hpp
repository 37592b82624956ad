#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/screen.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/recorded/trial.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation::rival {

/// The launches of one workload in one pairing, and what is known of them.
struct Material {
  std::string name;
  std::vector<LaunchRow> launches;    ///< in their order
  double percent = 0;                 ///< more real work in them, > 0 of the treatment's; 0: equal builds
  std::vector<LaunchRow> equal;       ///< of equal builds, if the others are none; may be empty
  analysis::ScreenSettings settings;  ///< Tandem's, calibrated
};

/// How the values of the two sides come about: all launches of the control and then all of the treatment, as
/// such tools are usually run; or both in the same launches, as Tandem makes them.
enum class Collection { one_after_the_other, side_by_side };

/// Launches one after the other: of `control` only the control's values count, of `treatment` the
/// treatment's.
struct SeparateSides {
  std::vector<LaunchRow> control;
  std::vector<LaunchRow> treatment;
};

/// What one decision is made from: successive launches from a random place on, so that all drift stays in.
/// Every draw with the same seed gives the same launches with the same coins.
class Draw {
 public:
  /// `percent` more work is planted in the treatment of equal builds (less than 0: in the control, which is
  /// the same as a quicker treatment). `material` has to stay. Throws Error when it has no launches, or when
  /// work is to be planted where there is some.
  Draw(const Material& material, double percent, std::uint64_t seed);

  /// The launch so many places on, both sides exchanged by a fresh coin if they are equal builds. The first
  /// launch follows the last.
  [[nodiscard]] LaunchRow pair(std::size_t index) const;
  [[nodiscard]] std::vector<LaunchRow> pairs(std::size_t count) const;

  /// So many launches of the control, then so many of the treatment, without a break if there are enough. Of
  /// equal builds both are the side that ran in the same place, so that places play no part.
  [[nodiscard]] SeparateSides one_after_the_other(std::size_t count) const;

  /// So many launches of equal builds, side by side, that were made before; nothing if there are none.
  [[nodiscard]] std::optional<std::vector<LaunchRow>> before(std::size_t count) const;

  /// Goes to another random place, for a second look.
  void move_on();

  /// Successive launches, and units of two in opposite places, for Tandem. The draw has to stay.
  [[nodiscard]] NextLaunch next_launches() const;
  [[nodiscard]] NextUnit next_units() const;

  /// For whatever else a rule draws at random.
  [[nodiscard]] tandem::Random random() const { return tandem::Random(~coins_); }
  [[nodiscard]] const Material& material() const { return *material_; }

 private:
  [[nodiscard]] bool coin(std::size_t index) const;
  [[nodiscard]] const LaunchRow& at(std::size_t index) const;
  [[nodiscard]] LaunchRow planted(const LaunchRow& row) const;

  const Material* material_;
  double factor_;
  tandem::Random random_;
  std::uint64_t place_ = 0;
  std::uint64_t coins_ = 0;
};

/// The samples of all rules: tests/evaluation/recorded/, where effects are planted by multiplying times; and
/// what `live` and `power` have left so far, equal builds and real more work on this host.
struct Samples {
  std::vector<Material> recorded;
  std::vector<Material> live;
  std::vector<std::string> refused;  ///< of both, where calibration would not let Tandem measure in that way
};

/// Tandem's settings come from the first half of the equal launches of each, as calibration would set them.
/// Origins with fewer than 40 launches are left out, of real work with fewer than Tandem may take for one
/// decision: no coin makes those fresh when they begin anew. Throws Error when nothing was recorded.
[[nodiscard]] Samples read_materials(const PartSettings& settings);

}  // namespace tandem::evaluation::rival
