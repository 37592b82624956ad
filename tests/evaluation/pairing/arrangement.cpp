#include "evaluation/pairing/arrangement.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "runners/pairing/pairing.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using runners::Arrangement;
using std::chrono::microseconds;
using std::chrono::milliseconds;

std::optional<long> whole_number(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 1) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Arrangement> arrangement_named(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t last = text.rfind(':');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto pairing = runners::pairing_named(text.substr(0, first));
  const auto slice = whole_number(text.substr(first + 1, last - first - 1));
  const auto launch = whole_number(text.substr(last + 1));
  if (!pairing || !slice || !launch) return std::nullopt;
  return Arrangement{*pairing, microseconds{*slice}, milliseconds{*launch}};
}

std::string name_of(const Arrangement& arrangement) {
  return fmt::format("{}:{}:{}", runners::name_of(arrangement.pairing),
                     std::chrono::duration_cast<microseconds>(arrangement.slice).count(),
                     std::chrono::duration_cast<milliseconds>(arrangement.launch_time).count());
}

Ground look_at(runners::PairRunner& runner, const std::filesystem::path& control,
               const std::filesystem::path& treatment) {
  Ground ground{{control, treatment}, {}, {}};
  const auto program = runner.inspect(ground.pair, runners::Side::control, {});
  if (const auto* failure = std::get_if<runners::RunFailure>(&program)) throw Error(failure->what);
  const auto& facts = std::get<runners::ProgramFacts>(program);
  if (facts.protocol != runners::Protocol::slices || facts.benchmarks.size() != 1) {
    throw Error(fmt::format("{} is no workload: it must have one benchmark in slices", control.string()));
  }
  ground.benchmark = facts.benchmarks.front();
  const auto seen = runner.look_at(ground.pair, ground.benchmark, {});
  if (const auto* failure = std::get_if<runners::RunFailure>(&seen)) throw Error(failure->what);
  ground.facts = std::get<runners::BenchmarkFacts>(seen);
  return ground;
}

std::variant<Arrangement, std::string> usual_arrangement(const Ground& ground, runners::Pairing pairing) {
  const runners::PossibleArrangements all = runners::possible_arrangements(
      runners::Protocol::slices, ground.facts, runners::choose_cpus(), runners::available_memory());
  for (const Arrangement& arrangement : all.arrangements) {
    if (arrangement.pairing == pairing) return arrangement;
  }
  for (const runners::RefusedPairing& refused : all.refused) {
    if (refused.pairing == pairing) return refused.why;
  }
  return fmt::format("{} is not possible here", runners::name_of(pairing));
}

}  // namespace tandem::evaluation
