#include "evaluation/evidence/live/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

#include "analysis/calibration.hpp"
#include "analysis/screen.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/random.hpp"
#include "support/temporary_directory.hpp"

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
std::variant<runners::SliceShape, std::string> shape_of(const Ground& ground, runners::Pairing pairing,
                                                        std::chrono::nanoseconds launch_time) {
  auto usual = usual_arrangement(ground, pairing);
  if (auto* why = std::get_if<std::string>(&usual)) return std::move(*why);
  auto arrangement = std::get<runners::Arrangement>(usual);
  arrangement.launch_time = launch_time;
  return runners::shape_for(ground.facts, arrangement);
}

}  // namespace

struct Workbench::Inside {
  const PartSettings& settings;
  std::string part;
  tests::TemporaryDirectory folder;
  runners::HostPairRunner runner;
  Journal journal;
  std::ofstream launches;
  Clock::time_point begin = Clock::now();

  Inside(const PartSettings& given, const std::string& name)
      : settings(given),
        part(name),
        runner(host_settings(folder.path())),
        journal(given.out / "journal" / (name + ".tsv")),
        launches(launches_file(given.out, name), std::ios::app) {}

  static fs::path launches_file(const fs::path& out, const std::string& part) {
    const fs::path file = out / "launches" / (part + ".tsv");
    const Journal whole(file);  // cuts off a last line without an end
    return file;
  }

  [[nodiscard]] bool is_over() const {
    return settings.minutes &&
           std::chrono::duration<double>(Clock::now() - begin).count() > 60 * *settings.minutes;
  }

  void keep(Measured measured) {
    measured.decision.seed = settings.seed;
    for (const LaunchRow& launch : measured.launches) {
      launches << line_of(Sample{measured.decision.origin, measured.decision.number, launch}) << '\n';
    }
    launches.flush();
    if (!launches) throw Error("the launches cannot be written");
    journal.add(fields_of(measured.decision));
  }
};

Workbench::Workbench(const PartSettings& settings, std::string part)
    : inside_(std::make_unique<Inside>(settings, part)) {}
Workbench::~Workbench() = default;

runners::PairRunner& Workbench::runner() {
  return inside_->runner;
}

const fs::path& Workbench::scratch() const {
  return inside_->folder.path();
}

std::optional<Workbench::Prepared> Workbench::prepare(const std::string& name, const Ground& ground,
                                                      runners::Pairing pairing,
                                                      std::chrono::nanoseconds launch_time,
                                                      std::vector<std::string>& notes) {
  inside_->settings.show(fmt::format("looking at {}", name), 0, 1);
  auto shape = shape_of(ground, pairing, launch_time);
  auto* refused = std::get_if<std::string>(&shape);
  std::string why = refused == nullptr ? "" : *refused;
  for (std::uint64_t look = 0; refused == nullptr && look < most_looks; ++look) {
    Noise noise = noise_of(ground, std::get<runners::SliceShape>(shape), look);
    if (noise.refused.empty()) return Prepared{std::get<runners::SliceShape>(shape), noise.prior};
    why = std::move(noise.refused);
  }
  notes.push_back(
      fmt::format("{} by {} was not measured in the last run: {}.", name, runners::name_of(pairing), why));
  return std::nullopt;
}

Workbench::Noise Workbench::noise_of(const Ground& ground, const runners::SliceShape& shape,
                                     std::uint64_t look) {
  const runners::MeasuringLock lock([](const std::string&) {});
  const auto pair = ground.pair.both(runners::Side::control);
  const std::uint64_t seed = tandem::seed_of(fmt::format("{} {}", ground.pair.control.string(), look));
  std::vector<runners::Launch> launches;
  for (std::uint64_t index = 0; index < noise_launches; ++index) {
    auto result = inside_->runner.launch(pair, {runners::Protocol::slices, ground.benchmark, shape},
                                         runners::plan_launch(seed, index, shape), {});
    if (auto* sampled = std::get_if<std::vector<runners::Sampled>>(&result)) {
      launches.push_back(std::move(sampled->front().launch));
    }
  }
  analysis::TriedArrangement tried;
  tried.arrangement.pairing = shape.pairing;
  tried.noise = analysis::noise_of(launches, {});
  Noise noise;
  noise.prior = {tried.noise.sigma, tried.noise.sigma_total};
  noise.refused = analysis::reason_to_refuse(tried, live_margin, ground.facts.threads);
  if (tried.noise.launches < noise_launches / 2) noise.refused = "it fails";
  const std::size_t most = analysis::ScreenSettings{}.max_launches;
  if (noise.refused.empty() && analysis::is_unmeasurable(tried.noise.sigma, live_margin, most)) {
    noise.refused = fmt::format("unmeasurable: one launch scatters by {:.1f} %", 100 * tried.noise.sigma);
  }
  return noise;
}

std::vector<Decision> Workbench::fill(const std::vector<Cell>& cells) {
  std::map<Origin, std::size_t> made;
  for (const Decision& decision : decisions_in(inside_->journal)) {
    if (decision.seed != inside_->settings.seed) {
      throw InputError(fmt::format("journal/{}.tsv was begun with the seed {}: go on with that, or remove it",
                                   inside_->part, decision.seed));
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
  while (done < all && !inside_->is_over()) {
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
    inside_->settings.show(next->name, done++, all);
    const runners::MeasuringLock lock([](const std::string&) {});
    inside_->keep(decide(inside_->runner, next->subject(number), number,
                         seed_for(inside_->part, inside_->settings.seed, next->origin, number)));
  }
  return decisions_in(inside_->journal);
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
