#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/rivals/board.hpp"
#include "evaluation/evidence/rivals/material.hpp"
#include "evaluation/evidence/rivals/report.hpp"

namespace tandem::evaluation {
namespace {

constexpr const char* says =
    "The rules by which other tools call a change, and Tandem's, on the same launches. Every rival gets ten "
    "runs of each side (Tango one launch of pairs, FAI-PEP twelve commits of one launch each), successive "
    "ones from a random place of a recording, so that all drift stays in: **one after the other**, first "
    "the control's and then the treatment's, as such tools are usually run, and **side by side**, both from "
    "the same launches that Tandem pairs, which spares them the drift; but rules that know no pairs take "
    "what both sides share for noise. Two of them are also judged with as many runs as Tandem's screen may "
    "take. Which of two equal builds is called the control is drawn anew for each launch. In the recorded "
    "launches, effects are planted by multiplying the treatment's times; in the live ones, as far as there "
    "are any, the work is real. Recordings are short and begin anew at their end, so decisions, and a "
    "confirmation and its screen, share launches. The rules are those of the sources named in "
    "`rivals/*.hpp`, written anew; ClickHouse's 10 000 relabellings are replaced by all of them, and its "
    "floors are not raised by a history of the query.";

}  // namespace

PartResult rivals(const PartSettings& settings) {
  const auto begin = std::chrono::steady_clock::now();
  const bool brief = settings.length == PartSettings::Length::brief;
  const rival::Counts counts = brief ? rival::Counts{70, 20} : rival::Counts{5040, 1400};
  const std::size_t replicates = brief ? 200 : 10'000;
  const std::vector<rival::Rule> rules = rival::rules(replicates);
  const rival::Samples samples = rival::read_materials(settings);

  PartResult result;
  result.part = "rivals";
  result.title = "Rivals on the same samples";
  result.says = says;
  const auto judge = [&](const std::string& where, const std::vector<rival::Material>& materials,
                         rival::Planting planting) {
    const auto show = [&](std::size_t done, std::size_t all) {
      settings.show(where + " launches", done, all);
    };
    rival::report(result, where, rules,
                  rival::decide(materials, planting, rules, counts, settings.seed, show));
  };
  judge("recorded", samples.recorded, rival::Planting::multiplied);
  judge("live", samples.live, rival::Planting::real);
  if (!samples.refused.empty()) {
    result.notes.push_back(
        fmt::format("Calibration would not let Tandem measure in these ways, which are judged "
                    "here all the same: {}.",
                    fmt::join(samples.refused, ", ")));
  }
  const auto is_real = [](const rival::Material& material) { return material.percent != 0; };
  if (samples.live.empty()) result.notes.emplace_back("There are no live launches yet: run `live`.");
  if (std::none_of(samples.live.begin(), samples.live.end(), is_real)) {
    result.notes.emplace_back("There is no real work to be found yet: run `power`.");
  }
  result.notes.push_back(
      fmt::format("The bootstrap of the duet paper was made with {} replicates, over 66 runs with {}.",
                  replicates, replicates / 5));
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace tandem::evaluation
