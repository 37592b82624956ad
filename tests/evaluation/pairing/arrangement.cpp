#include "evaluation/pairing/arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "evaluation/evidence/results/journal.hpp"
#include "runners/pairing/pairing.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using runners::Arrangement;
using std::chrono::microseconds;
using std::chrono::milliseconds;

}  // namespace

std::optional<Arrangement> arrangement_named(std::string_view text) {
  std::string words(text);
  std::replace(words.begin(), words.end(), ':', '\t');
  const Journal::Fields all = fields_in(words);
  FieldReader fields(all);
  std::string name;
  long slice_us = 0;
  long launch_ms = 0;
  fields >> name >> slice_us >> launch_ms;
  const auto pairing = runners::pairing_named(name);
  if (!fields.is_whole() || !pairing || slice_us < 1 || launch_ms < 1) return std::nullopt;
  return Arrangement{*pairing, microseconds{slice_us}, milliseconds{launch_ms}};
}

std::string name_of(const Arrangement& arrangement) {
  return fmt::format("{}:{}:{}", runners::name_of(arrangement.pairing),
                     std::chrono::duration_cast<microseconds>(arrangement.slice).count(),
                     std::chrono::duration_cast<milliseconds>(arrangement.launch_time).count());
}

WorkloadPair look_at(runners::PairRunner& runner, const std::filesystem::path& control,
                     const std::filesystem::path& treatment) {
  WorkloadPair programs{{control, treatment}, {}, {}};
  const auto program = runner.inspect(programs.pair, runners::Side::control, {});
  if (const auto* failure = std::get_if<runners::RunFailure>(&program)) throw Error(failure->what);
  const auto& facts = std::get<runners::ProgramFacts>(program);
  if (facts.protocol != runners::Protocol::slices || facts.benchmarks.size() != 1) {
    throw Error(fmt::format("{} is no workload: it must have one benchmark in slices", control.string()));
  }
  programs.benchmark = facts.benchmarks.front();
  const auto seen = runner.look_at(programs.pair, programs.benchmark, {});
  if (const auto* failure = std::get_if<runners::RunFailure>(&seen)) throw Error(failure->what);
  programs.facts = std::get<runners::BenchmarkFacts>(seen);
  return programs;
}

void launch_once(runners::PairRunner& runner, const WorkloadPair& programs, const runners::LaunchPlan& plan,
                 Launches& launches) {
  auto result =
      runner.launch(programs.pair, {runners::Protocol::slices, programs.benchmark, plan.shape}, plan, {});
  if (const auto* failure = std::get_if<runners::RunFailure>(&result)) {
    ++launches.failed;
    launches.failure = failure->what;
  } else {
    launches.good.push_back(std::move(std::get<std::vector<runners::Sampled>>(result).front().launch));
  }
}

std::variant<Arrangement, std::string> usual_arrangement(const WorkloadPair& programs,
                                                         runners::Pairing pairing) {
  const runners::PossibleArrangements all = runners::possible_arrangements(
      runners::Protocol::slices, programs.facts, runners::choose_cpus(), runners::available_memory());
  for (const Arrangement& arrangement : all.arrangements) {
    if (arrangement.pairing == pairing) return arrangement;
  }
  for (const runners::RefusedPairing& refused : all.refused) {
    if (refused.pairing == pairing) return refused.why;
  }
  return fmt::format("{} is not possible here", runners::name_of(pairing));
}

}  // namespace tandem::evaluation
