#include "evaluation/evidence/live/live_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "analysis/calibration.hpp"
#include "analysis/screen.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/random.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// As many as a calibration makes before it dares to speak of a bias.
constexpr std::uint64_t noise_launches = 12;

/// So few launches refuse what is sound now and then: as often it is looked at again.
constexpr std::uint64_t most_looks = 3;

runners::HostSettings host_settings(const fs::path& scratch) {
  runners::HostSettings settings;
  settings.scratch = scratch;
  return settings;
}

std::uint64_t seed_for(const std::string& part, std::uint64_t seed, const Origin& origin,
                       std::size_t number) {
  const std::string words = fmt::format("{} {} {} {} {} {:g} {}", part, seed, origin.workload, origin.pairing,
                                        origin.layouts, origin.percent, number);
  return tandem::Random(tandem::seed_of(words)).next();
}

/// A shape with launches of so long, or why the pairing is not possible.
std::variant<runners::SliceShape, std::string> shape_of(const WorkloadPair& programs,
                                                        runners::Pairing pairing,
                                                        std::chrono::nanoseconds launch_time) {
  auto usual = usual_arrangement(programs, pairing);
  if (auto* why = std::get_if<std::string>(&usual)) return std::move(*why);
  auto arrangement = std::get<runners::Arrangement>(usual);
  arrangement.launch_time = launch_time;
  return runners::shape_for(programs.facts, arrangement);
}

}  // namespace

LiveRun::LiveRun(const PartSettings& settings, std::string part)
    : settings_(settings),
      part_(std::move(part)),
      runner_(host_settings(folder_.path())),
      journal_(settings.out / "journal" / (part_ + ".tsv")) {
  const fs::path file = settings.out / "launches" / (part_ + ".tsv");
  const Journal whole(file);  // cuts off a last line without an end
  launches_.open(file, std::ios::app);
}

bool LiveRun::is_over() const {
  return settings_.minutes &&
         std::chrono::duration<double>(Clock::now() - begin_).count() > 60 * *settings_.minutes;
}

void LiveRun::keep(Measured measured) {
  measured.decision.seed = settings_.seed;
  for (const LaunchRow& launch : measured.launches) {
    launches_ << line_of(Sample{measured.decision.origin, measured.decision.number, launch}) << '\n';
  }
  launches_.flush();
  if (!launches_) throw Error("the launches cannot be written");
  journal_.add(fields_of(measured.decision));
}

DecisionSubject LiveRun::Prepared::subject(const Origin& origin, const runners::ProgramPair& pair) const {
  DecisionSubject subject;
  subject.origin = origin;
  subject.pairs = daemon::always(pair);
  subject.unit = [pair](std::uint64_t) -> std::variant<runners::ProgramPair, std::string> { return pair; };
  subject.subject = {runners::Protocol::slices, programs.benchmark, shape};
  subject.prior = prior;
  subject.margin = live_margin;
  return subject;
}

std::optional<LiveRun::Prepared> LiveRun::prepare(const std::string& name, const fs::path& program,
                                                  runners::Pairing pairing,
                                                  std::chrono::nanoseconds launch_time,
                                                  std::vector<std::string>& notes) {
  settings_.show(fmt::format("looking at {}", name), 0, 1);
  const WorkloadPair programs = look_at(runner_, program, program);
  auto shape = shape_of(programs, pairing, launch_time);
  auto* refused = std::get_if<std::string>(&shape);
  std::string why = refused == nullptr ? "" : *refused;
  for (std::uint64_t look = 0; refused == nullptr && look < most_looks; ++look) {
    Noise noise = noise_of(programs, std::get<runners::SliceShape>(shape), look);
    if (noise.refused.empty()) return Prepared{programs, std::get<runners::SliceShape>(shape), noise.prior};
    why = std::move(noise.refused);
  }
  notes.push_back(
      fmt::format("{} by {} was not measured in the last run: {}.", name, runners::name_of(pairing), why));
  return std::nullopt;
}

LiveRun::Noise LiveRun::noise_of(const WorkloadPair& programs, const runners::SliceShape& shape,
                                 std::uint64_t look) {
  const runners::MeasuringLock lock([](const std::string&) {});
  const std::uint64_t seed = tandem::seed_of(fmt::format("{} {}", programs.pair.control.string(), look));
  Launches made;
  for (std::uint64_t index = 0; index < noise_launches; ++index)
    launch_once(runner_, programs, runners::plan_launch(seed, index, shape), made);
  analysis::TriedArrangement tried;
  tried.arrangement.pairing = shape.pairing;
  tried.noise = analysis::noise_of(made.good, {});
  Noise noise;
  noise.prior = {tried.noise.sigma, tried.noise.sigma_total};
  noise.refused = analysis::reason_to_refuse(tried, live_margin, programs.facts.threads);
  if (tried.noise.launches < noise_launches / 2) noise.refused = "it fails";
  const std::size_t most = analysis::ScreenSettings{}.max_launches;
  if (noise.refused.empty() && analysis::is_unmeasurable(tried.noise.sigma, live_margin, most)) {
    noise.refused = fmt::format("unmeasurable: one launch scatters by {:.1f} %", 100 * tried.noise.sigma);
  }
  return noise;
}

std::vector<Decision> LiveRun::fill(const std::vector<Cell>& cells) {
  std::map<Origin, std::size_t> made;
  for (const Decision& decision : decisions_in(journal_)) {
    if (decision.seed != settings_.seed) {
      throw InputError(fmt::format("journal/{}.tsv was begun with the seed {}: go on with that, or remove it",
                                   part_, decision.seed));
    }
    ++made[decision.origin];
  }
  std::size_t all = 0;
  std::size_t done = 0;
  for (const Cell& cell : cells) {
    all += cell.wanted;
    done += std::min(made[cell.origin], cell.wanted);
  }
  // Cells of which more is wanted have their turn more often: each is served up to the same share of its
  // number.
  while (done < all && !is_over()) {
    const Cell* next = nullptr;
    double least = 1;
    for (const Cell& cell : cells) {
      const double share =
          static_cast<double>(made[cell.origin]) / static_cast<double>(std::max<std::size_t>(cell.wanted, 1));
      if (cell.wanted > 0 && share < least) {
        least = share;
        next = &cell;
      }
    }
    if (next == nullptr) break;
    const std::size_t number = made[next->origin]++;
    settings_.show(next->name, done++, all);
    const runners::MeasuringLock lock([](const std::string&) {});
    keep(decide(runner_, next->subject(number), number,
                seed_for(part_, settings_.seed, next->origin, number)));
  }
  return decisions_in(journal_);
}

fs::path workload(const PartSettings& settings, const std::string& name, const std::string& percent) {
  if (settings.length == PartSettings::Length::brief) {
    return settings.build / "programs" / (percent == "0" ? "steady" : "slower");
  }
  const fs::path program = settings.build / "evaluation_programs" / fmt::format("{}_{}", name, percent);
  if (!fs::exists(program)) {
    throw Error(
        fmt::format("{} is not there; build the target tandem_evaluation_programs", program.string()));
  }
  return program;
}

}  // namespace tandem::evaluation
