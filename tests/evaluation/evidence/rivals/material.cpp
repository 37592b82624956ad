#include "evaluation/evidence/rivals/material.hpp"

#include <span>
#include <utility>

#include "evaluation/evidence/recorded/recording.hpp"
#include "evaluation/evidence/recorded/sample_file.hpp"
#include "evaluation/evidence/rivals/rules.hpp"

namespace tandem::evaluation::rival {
namespace {

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
