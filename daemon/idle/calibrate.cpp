#include "daemon/idle/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <list>
#include <set>
#include <utility>

#include "analysis/screen.hpp"
#include "daemon/idle/calibration_launches.hpp"
#include "daemon/measure/measure.hpp"

namespace tandem::daemon {
namespace {

using analysis::Calibration;
using runners::Pairing;
using runners::RunFailure;

/// Up to which share of the time each part may go on.
struct Shares {
  double halving, trial, last;
};
constexpr Shares without_layouts{0.5, 0.72, 0.97};
constexpr Shares with_layouts{0.4, 0.58, 0.75};
constexpr double first_share = 0.6;  // of the halving, for the round of all

constexpr std::size_t first_round = 4;  // launches
constexpr std::size_t finalists = 2;
constexpr std::size_t trial_rounds = 6;
constexpr std::size_t enough_launches = 20;
constexpr std::size_t fewest_after_a_cut = 10;
constexpr std::size_t relinkings = 16;
constexpr std::size_t fewest_relinkings = 8;
constexpr double worth_a_cut = 1.5;
constexpr std::chrono::nanoseconds shortest_launch = std::chrono::milliseconds{20};
constexpr std::chrono::nanoseconds longest_launch = std::chrono::seconds{2};

class Calibrating {
 public:
  Calibrating(CalibrationLauncher& launcher, const CalibrationSubject& subject,
              const CalibrationSettings& settings)
      : launcher_(launcher),
        subject_(subject),
        settings_(settings),
        shares_(subject.relink ? with_layouts : without_layouts) {}

  std::vector<Calibration> run() {
    for (const auto& arrangement : subject_.possible.arrangements) add(arrangement);
    halve();
    Candidate* chosen = choose();
    unfit_ = chosen == nullptr;
    chosen = unfit_ ? &candidates_.front() : &cut(*chosen);
    while (chosen->launches() < enough_launches && launcher_.fits(*chosen, shares_.last)) {
      launcher_.next_to_itself(*chosen);
    }
    if (subject_.relink && sliced() && !unfit_) measure_layouts(*chosen);
    return conclude(*chosen);
  }

 private:
  using Candidate = CalibrationCandidate;
  using Ranking = std::vector<Candidate*>;

  Candidate& add(const runners::Arrangement& arrangement) {
    const runners::Subject subject{subject_.protocol, subject_.benchmark,
                                   shape_of(subject_.protocol, subject_.facts, arrangement)};
    return candidates_.emplace_back(arrangement, subject, settings_.seed, candidates_.size());
  }

  [[nodiscard]] bool sliced() const { return subject_.protocol == runners::Protocol::slices; }
  [[nodiscard]] std::string reason(const Candidate& candidate) const {
    return candidate.reason(settings_.margin, subject_.facts.threads);
  }

  /// All take turns; after each round the dearer half has had its launches.
  void halve() {
    Ranking active;
    for (Candidate& one : candidates_) active.push_back(&one);
    std::size_t rounds = 1;
    for (std::size_t n = active.size(); n > finalists; n = (n + 1) / 2) ++rounds;
    for (std::size_t round = 0; round < rounds; ++round) {
      // Slow launches leave some time for the better half, but most for all: few say nothing.
      const double done = rounds > 1 ? static_cast<double>(round) / static_cast<double>(rounds - 1) : 1;
      const double until = shares_.halving * (first_share + (1 - first_share) * done);
      for (std::size_t i = 0; i < first_round << round; ++i) take_turns(active, i == 0 && round == 0, until);
      std::erase_if(active,
                    [&](const Candidate* one) { return one->launches() == 0 || !reason(*one).empty(); });
      std::stable_sort(active.begin(), active.end(),
                       [&](const auto* one, const auto* other) { return price(*one) < price(*other); });
      if (active.size() > finalists) active.resize(std::max(finalists, (active.size() + 1) / 2));
    }
    const bool none = std::all_of(candidates_.begin(), candidates_.end(),
                                  [](const Candidate& one) { return one.launches() == 0; });
    if (none) throw CalibrationEnded{launcher_.last_failure()};
  }

  [[nodiscard]] double price(const Candidate& candidate) const { return candidate.price(settings_.margin); }

  void take_turns(const Ranking& active, bool first, double until) {
    for (Candidate* one : active) {
      // The very first launch says what one costs.
      if (launcher_.made() > 0 && !launcher_.fits(*one, first ? shares_.halving : until)) continue;
      if (!one->failed()) launcher_.next_to_itself(*one);
    }
  }

  /// The cheapest that nothing speaks against, or none. Those that lost may win after all, if what won is
  /// refused.
  Candidate* choose() {
    // Programs with threads have other processors in a duet than in turns: only their own launches alone
    // count.
    if (const Candidate* undisturbed = reference(); undisturbed != nullptr && subject_.facts.threads <= 1) {
      for (Candidate& one : candidates_) one.compare_with(*undisturbed);
    }
    std::set<const Candidate*> known;  // whose trial is over
    while (true) {
      Candidate* best = nullptr;
      for (Candidate& one : candidates_) {
        const bool usable = one.launches() > 0 && reason(one).empty();
        if (usable && (best == nullptr || price(one) < price(*best))) best = &one;
      }
      // The trial brings more launches: one that was cheap by luck is so no longer.
      if (best == nullptr || !sliced() || !known.insert(best).second) return best;
      try_out(*best);
    }
  }

  /// Where the two sides do not run at the same time.
  [[nodiscard]] const Candidate* reference() const {
    for (const Pairing pairing : {Pairing::alternate, Pairing::process}) {
      for (const Candidate& one : candidates_) {
        if (one.arrangement().pairing == pairing && one.launches() > 0) return &one;
      }
    }
    return nullptr;
  }

  /// In company, alone and with a planted slowdown, in turns.
  void try_out(Candidate& candidate) {
    const bool beside = candidate.arrangement().pairing != Pairing::process;
    for (std::size_t i = 0; i < trial_rounds && !candidate.failed(); ++i) {
      // The first round is worth time that others were meant to have.
      if (!launcher_.fits(candidate, i == 0 ? shares_.last : shares_.trial, beside ? 3 : 2)) break;
      const auto company = launcher_.next_to_itself(candidate);
      if (beside) {
        const auto alone = launcher_.alone(candidate, i % 2);
        if (company && alone) candidate.take_turns(*company, *alone);
      }
      launcher_.with_planted(candidate);
      if (i + 1 >= trial_rounds / 2 && !reason(candidate).empty()) break;
    }
  }

  /// The same arrangement with launches of the length at which machine time buys most, if that proves true.
  Candidate& cut(Candidate& chosen) {
    if (!sliced()) return chosen;
    const auto now = chosen.tried(subject_.benchmark, settings_.margin, subject_.facts.threads);
    const double factor = static_cast<double>(analysis::best_pairs(now.noise, now.pairs)) /
                          static_cast<double>(std::max<std::size_t>(1, now.pairs));
    // So many launches of the new length have to fit into what is left.
    const double left = (shares_.last * settings_.seconds - launcher_.spent()) / (2.0 * fewest_after_a_cut);
    const double start = now.noise.cost.seconds - now.noise.cost.slices_seconds;
    const auto room = std::chrono::nanoseconds(static_cast<std::int64_t>(std::max(0.0, left - start) * 1e9));
    if (room < shortest_launch) return chosen;
    runners::Arrangement arrangement = chosen.arrangement();
    arrangement.launch_time = std::clamp(
        std::chrono::nanoseconds(std::llround(factor * static_cast<double>(arrangement.launch_time.count()))),
        shortest_launch, std::min(room, longest_launch));
    const auto pairs = static_cast<double>(runners::shape_for(subject_.facts, arrangement).pairs);
    const double change = pairs / static_cast<double>(now.pairs);
    if (change < worth_a_cut && change > 1 / worth_a_cut) return chosen;
    Candidate& other = add(arrangement);
    other.inherit(chosen);
    while (other.launches() < enough_launches && launcher_.fits(other, shares_.last) && !other.failed()) {
      launcher_.next_to_itself(other);
    }
    const bool better =
        other.launches() >= fewest_after_a_cut && reason(other).empty() && price(other) < price(chosen);
    return better ? other : chosen;
  }

  /// Two launches in opposite slots: their mean has no slot bias. Nothing: there is no time, or one failed.
  std::optional<double> moved_by(Candidate& chosen, const runners::ProgramPair& linking) {
    if (!launcher_.fits(chosen, 1, 2)) return std::nullopt;
    const auto plan = chosen.next_plan();
    const auto one = launcher_.log_ratio(chosen, linking, plan);
    const auto other = launcher_.log_ratio(chosen, linking, opposite(plan));
    return one && other ? std::optional((*one + *other) / 2) : std::nullopt;
  }

  void measure_layouts(Candidate& chosen) {
    std::vector<runners::ProgramPair> linkings;
    std::vector<double> means;
    for (std::uint64_t seed = 1; seed <= relinkings && launcher_.fits(chosen, 1, 2); ++seed) {
      const auto pair = subject_.relink(seed);
      if (const auto* why = std::get_if<std::string>(&pair)) {
        note("the layout spread is not known: " + *why);
        return;
      }
      const auto& linking = std::get<runners::ProgramPair>(pair);
      if (const auto moved = moved_by(chosen, linking)) {
        linkings.push_back(linking);
        means.push_back(*moved);
      }
    }
    if (means.size() < fewest_relinkings) {
      note("the layout spread is not known: there was no time for enough relinkings");
      return;
    }
    const double sigma =
        chosen.tried(subject_.benchmark, settings_.margin, subject_.facts.threads).noise.sigma;
    const double noise = sigma / std::sqrt(2.0);
    for (const std::size_t i : analysis::doubtful_layouts(means, noise)) {
      if (const auto again = moved_by(chosen, linkings[i])) {
        means[i] = analysis::nearer_to_others(means, means[i], *again);
      }
    }
    layout_spread_ = analysis::layout_spread_of(means, noise);
  }

  void note(const std::string& sentence) { note_ += (note_.empty() ? "" : "; ") + sentence; }

  [[nodiscard]] std::vector<Calibration> conclude(const Candidate& chosen) {
    if (!sliced()) note("whole processes have no positive control");
    if (sliced() && !chosen.was_tried()) note("there was no time for the positive control");
    if (chosen.launches() < enough_launches) {
      note(fmt::format("only {} launches of {:.2g} s fitted into {:.0f} s", chosen.launches(),
                       chosen.seconds_per_launch(), settings_.seconds));
    }
    const double seconds = launcher_.spent();
    std::vector<Calibration> all;
    for (const std::string& name : chosen.benchmarks()) all.push_back(of_benchmark(chosen, name, seconds));
    return all;
  }

  [[nodiscard]] Calibration of_benchmark(const Candidate& chosen, const std::string& name,
                                         double seconds) const {
    Calibration calibration;
    calibration.benchmark = name;
    calibration.margin = settings_.margin;
    calibration.most_launches = settings_.max_launches;
    calibration.host = settings_.host;
    calibration.at = settings_.at;
    calibration.seconds = seconds;
    calibration.note = note_;
    calibration.layout_spread = layout_spread_;
    const auto tried_of = [&](const Candidate& one) {
      auto tried = one.tried(name, settings_.margin, subject_.facts.threads);
      if (tried.noise.launches == 0 && tried.refused.empty()) tried.refused = "there was no time to try it";
      return tried;
    };
    const auto own = tried_of(chosen);
    calibration.chosen = own.arrangement;
    calibration.pairs = own.pairs;
    calibration.noise = own.noise;
    calibration.slow_down = own.slow_down;
    if (own.recovery) calibration.recovered = own.recovery->share();
    calibration.minimum_detectable_effect = analysis::minimum_detectable_effect(
        analysis::expected_sigma(calibration).median, settings_.margin, settings_.max_launches);
    if (!own.refused.empty()) {
      calibration.unfit = fmt::format("nothing measures it soundly on this host: {}: {}",
                                      name_of(own.arrangement.pairing), own.refused);
    }
    calibration.tried.push_back(own);
    for (const Candidate& one : candidates_) {
      if (&one != &chosen) calibration.tried.push_back(tried_of(one));
    }
    for (const auto& [pairing, why] : subject_.possible.refused) {
      analysis::TriedArrangement impossible;
      impossible.arrangement = {pairing, {}, {}};
      impossible.refused = why;
      calibration.tried.push_back(std::move(impossible));
    }
    return calibration;
  }

  CalibrationLauncher& launcher_;
  const CalibrationSubject& subject_;
  const CalibrationSettings& settings_;
  const Shares shares_;
  std::list<Candidate> candidates_;  // a list, because they are pointed at
  bool unfit_ = false;
  std::optional<double> layout_spread_;
  std::string note_;
};

}  // namespace

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::variant<std::vector<Calibration>, RunFailure> calibrate(runners::PairRunner& runner,
                                                             const CalibrationSubject& subject,
                                                             const CalibrationSettings& settings,
                                                             const ShowProgress& show,
                                                             const std::stop_token& stop) {
  CalibrationLauncher launcher(runner, subject, settings, show, stop);
  try {
    return Calibrating(launcher, subject, settings).run();
  } catch (const CalibrationEnded& ended) {
    return ended.failure;
  }
}

}  // namespace tandem::daemon
