#include "evaluation/evidence/rivals/draw.hpp"

#include <span>
#include <utility>

#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/recorded/recording.hpp"
#include "evaluation/evidence/rivals/board.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation::rival {
namespace {

/// Treatment over control: where the control has the more work, the treatment is quicker by as much.
double factor_of(double percent) {
  return percent >= 0 ? 1 + percent / 100 : 1 / (1 - percent / 100);
}

constexpr double margin = 0.01;

Material equal_material(const Recording& recording) {
  Material material;
  material.name = recording.name;
  material.launches.assign(recording.judged().begin(), recording.judged().end());
  material.settings = screen_settings(noise_of(recording.tuning()));
  material.settings.margin = margin;
  return material;
}

/// What differs in work from the equal builds of the same name, if there are such.
Material changed_material(const Origin& origin, std::vector<LaunchRow> launches,
                          const std::vector<Material>& equal) {
  Material material;
  material.name = origin.workload + "." + origin.pairing + " live";
  material.percent = origin.percent;
  for (const Material& other : equal) {
    if (other.name != material.name) continue;
    material.equal = other.launches;
    material.settings = other.settings;
  }
  if (material.equal.empty()) {
    material.settings = screen_settings(noise_about_centre(std::span(launches).first(launches.size() / 2)));
    material.settings.margin = margin;
  }
  material.launches = std::move(launches);
  return material;
}

}  // namespace

Draw::Draw(const Material& material, double percent, std::uint64_t seed)
    : material_(&material), factor_(factor_of(percent)), random_(seed) {
  if (material.launches.empty()) throw Error("there are no launches of " + material.name);
  if (material.percent != 0 && percent != 0) throw Error("work was planted already in " + material.name);
  move_on();
}

void Draw::move_on() {
  place_ = random_.next();
  coins_ = random_.next();
}

bool Draw::coin(std::size_t index) const {
  return tandem::Random(coins_ + index * 0x2545f4914f6cdd1d).coin();
}

const LaunchRow& Draw::at(std::size_t index) const {
  const auto& launches = material_->launches;
  return launches[(place_ % launches.size() + index) % launches.size()];
}

LaunchRow Draw::planted(const LaunchRow& row) const {
  return factor_ == 1 ? row : slowed(row, factor_);
}

LaunchRow Draw::pair(std::size_t index) const {
  const LaunchRow& row = at(index);
  if (material_->percent != 0) return row;
  return planted(coin(index) ? exchanged(row) : row);
}

std::vector<LaunchRow> Draw::pairs(std::size_t count) const {
  std::vector<LaunchRow> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(pair(i));
  return rows;
}

SeparateSides Draw::one_after_the_other(std::size_t count) const {
  const auto& launches = material_->launches;
  const std::size_t all = launches.size();
  const std::size_t begin = all > 2 * count ? place_ % (all - 2 * count + 1) : 0;
  const bool exchange = material_->percent == 0 && coin(0);
  SeparateSides sides;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    const LaunchRow& recorded = launches[(begin + i) % all];
    LaunchRow row = exchange ? exchanged(recorded) : recorded;
    if (i < count) {
      sides.control.push_back(row);
      continue;
    }
    if (material_->percent == 0) row.treatment = row.control;
    sides.treatment.push_back(planted(row));
  }
  return sides;
}

std::optional<std::vector<LaunchRow>> Draw::before(std::size_t count) const {
  const auto& equal = material_->percent == 0 ? material_->launches : material_->equal;
  if (equal.empty()) return std::nullopt;
  std::vector<LaunchRow> rows;
  const std::size_t begin = place_ % equal.size() + equal.size() * count - count;
  for (std::size_t i = 0; i < count; ++i) {
    const LaunchRow& row = equal[(begin + i) % equal.size()];
    rows.push_back(coin(material_->launches.size() + i) ? exchanged(row) : row);
  }
  return rows;
}

NextLaunch Draw::next_launches() const {
  return [this, index = std::size_t{0}]() mutable { return pair(index++); };
}

NextUnit Draw::next_units() const {
  return [this, index = std::size_t{0}]() mutable -> Unit {
    const LaunchRow& one = at(index);
    const LaunchRow& other = at(index + 1);
    const bool first = coin(index);
    index += 2;
    if (material_->percent != 0) return {one, other};
    return {planted(first ? exchanged(one) : one), planted(first ? other : exchanged(other))};
  };
}

Samples read_materials(const PartSettings& settings) {
  Samples samples;
  for (const Recording& recording : recordings(settings)) {
    const bool live = recording.name.ends_with(" live");
    (live ? samples.live : samples.recorded).push_back(equal_material(recording));
    if (!refusal(recording, margin).empty()) samples.refused.push_back(recording.name);
  }
  const std::vector<Material> equal = samples.live;
  for (auto& [origin, launches] : by_origin(read_samples(settings.out / "launches/power.tsv"))) {
    if (origin.percent == 0 || launches.size() < many_runs) continue;
    samples.live.push_back(changed_material(origin, std::move(launches), equal));
  }
  return samples;
}

}  // namespace tandem::evaluation::rival
