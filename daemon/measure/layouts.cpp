#include "daemon/measure/layouts.hpp"

#include <fmt/format.h>

#include <utility>

#include "specs/foundation/random.hpp"

namespace tandem::daemon {
namespace {

using builders::Executable;
using builders::RelinkFailure;

/// Keeps the draw of layouts apart from the coins of the same launch.
constexpr std::uint64_t draw_stream = 0x1a70'0d12'a3b5'77c1;

/// What a sliced program lists; nothing if it is of another kind or does not run.
std::optional<std::vector<std::string>> listed(runners::PairRunner& runner, const Test& test,
                                               const Executable& executable,
                                               const std::filesystem::path& scratch,
                                               const std::stop_token& stop) {
  auto looked = runner.inspect(pair_of(test, executable, executable, scratch), runners::Side::control, stop);
  const auto* facts = std::get_if<runners::ProgramFacts>(&looked);
  if (facts == nullptr || facts->protocol != runners::Protocol::slices) return std::nullopt;
  return facts->benchmarks;
}

}  // namespace

Linkings Layouts::of(const Executable& executable, const Test& test, std::size_t count,
                     const std::stop_token& stop) {
  if (const auto found = known_.find({executable.key, count}); found != known_.end()) return found->second;
  Linkings linkings = link(executable, test, count, stop);
  if (!stop.stop_requested()) known_.emplace(std::pair(executable.key, count), linkings);
  return linkings;
}

Linkings Layouts::link(const Executable& executable, const Test& test, std::size_t count,
                       const std::stop_token& stop) {
  const auto not_possible = [&](std::string why) {
    return Linkings{{executable}, RelinkFailure{RelinkFailure::Kind::not_possible, std::move(why)}};
  };
  if (count < 2) return not_possible("layouts are switched off");
  if (!executable.layout_unresolved.empty()) return not_possible(executable.layout_unresolved);
  std::optional<std::vector<std::string>> original;
  if (!smoke_tested_.contains(executable.key)) original = listed(runner_, test, executable, scratch_, stop);
  Linkings linkings;
  for (std::uint64_t seed = 1; seed <= count && !stop.stop_requested(); ++seed) {
    auto linked = builder_.relink(executable, seed, stop);
    if (const auto* why = std::get_if<RelinkFailure>(&linked)) return Linkings{{executable}, *why};
    auto& layout = std::get<Executable>(linked);
    if (!runs_as(original, test, layout, stop) && !stop.stop_requested()) {
      return not_possible(fmt::format("linked with seed {} it does not list its benchmarks any more", seed));
    }
    linkings.layouts.push_back(std::move(layout));
  }
  if (linkings.layouts.empty()) {
    return Linkings{{executable}, RelinkFailure{RelinkFailure::Kind::may_pass, "stopped"}};
  }
  if (!stop.stop_requested()) smoke_tested_.insert(executable.key);
  return linkings;
}

/// Whole processes are not run for a smoke test: their first launch is one.
bool Layouts::runs_as(const std::optional<std::vector<std::string>>& original, const Test& test,
                      const Executable& layout, const std::stop_token& stop) {
  return !original || listed(runner_, test, layout, scratch_, stop) == original;
}

std::variant<Executable, RelinkFailure> Layouts::fresh(const Executable& executable, std::uint64_t seed,
                                                       const std::stop_token& stop) {
  return builder_.relink(executable, seed, stop);
}

void Layouts::drop(std::vector<Executable>& fresh) {
  for (Executable& one : fresh) builder_.drop_layout(std::move(one));
  fresh.clear();
}

PairSource draw_layouts(const Test& test, Linkings control, Linkings treatment,
                        const std::filesystem::path& scratch, std::uint64_t seed) {
  const auto one_of = [](const std::vector<Executable>& layouts, Random& random) {
    return layouts.at(random.below(layouts.size()));
  };
  const auto random_of = [seed](std::uint64_t launch) {
    return Random(seed ^ draw_stream ^ (launch * 0xd1342543de82ef95));
  };
  PairSource source;
  source.pair = [=](std::uint64_t launch) {
    Random random = random_of(launch);
    const Executable one = one_of(control.layouts, random);
    return pair_of(test, one, one_of(treatment.layouts, random), scratch);
  };
  // The noise of a launch includes that of the layouts, so the control meets itself in two of them.
  source.control_alone = [=](std::uint64_t launch) {
    Random random = random_of(~launch);
    const Executable one = one_of(control.layouts, random);
    return pair_of(test, one, one_of(control.layouts, random), scratch);
  };
  return source;
}

const RelinkFailure* unlinked_for_now(const Linkings& control, const Linkings& treatment) {
  const RelinkFailure* now = nullptr;
  for (const Linkings* side : {&treatment, &control}) {
    if (!side->unresolved) continue;
    if (side->unresolved->kind == RelinkFailure::Kind::not_possible) return nullptr;
    now = &*side->unresolved;
  }
  return now;
}

LayoutFacts describe_layouts(const Linkings& control, const Linkings& treatment) {
  for (const auto& [side, linkings] : {std::pair{"control", &control}, std::pair{"treatment", &treatment}}) {
    if (linkings->unresolved) {
      return {LayoutFacts::Resolution::unresolved,
              fmt::format("{}: {}", side, linkings->unresolved->sentence)};
    }
  }
  return {LayoutFacts::Resolution::resolved, fmt::format("{} per side", control.layouts.size())};
}

}  // namespace tandem::daemon
