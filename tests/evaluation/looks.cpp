// Whether looking at the limits of a sandbox disturbs what runs in it: the same program on both sides,
// launches of two seconds, in turn with the limits that the daemon sets and without any, which spares the
// looks. ./dev evaluate looks; TANDEM_LAUNCHES=N launches of each kind for each workload.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistics.hpp"
#include "evaluation/evidence/part.hpp"
#include "evaluation/pairing/arrangement.hpp"
#include "specs/foundation/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::evaluation {
namespace {

using runners::HostPairRunner;

constexpr std::uint64_t plenty = std::uint64_t{1} << 33;  // so that no limit is met

runners::HostSettings settings(const runners::SandboxTools& tools, const std::filesystem::path& scratch,
                               bool looks) {
  runners::HostSettings host;
  host.scratch = scratch;
  host.sandbox = runners::Sandbox{tools, {}};
  if (looks) {
    host.sandbox->memory_bytes = host.sandbox->disk_bytes = plenty;
    host.sandbox->processes = 4096;
  }
  return host;
}

}  // namespace

void print_looks(const std::filesystem::path& build) {
  const char* asked = std::getenv("TANDEM_LAUNCHES");
  const std::size_t launches = asked != nullptr ? std::stoul(asked) : 40;
  const auto found = runners::find_sandbox(build / "libexec/tandem/tandem-shim");
  if (const auto* why = std::get_if<std::string>(&found))
    throw Error(fmt::format("no sandbox, so nothing to measure: {}", *why));
  const tests::TemporaryDirectory scratch;
  const auto& tools = std::get<runners::SandboxTools>(found);
  std::map<bool, HostPairRunner> by_looks;
  for (const bool looks : {false, true}) by_looks.try_emplace(looks, settings(tools, scratch.path(), looks));
  fmt::print(
      "| workload | launches of each | spread with looks % | without % | ratio | its 95 % interval |\n"
      "|---|---|---|---|---|---|\n");
  for (const char* workload : {"arithmetic", "stream", "chase"}) {
    const std::filesystem::path program = build / "evaluation_programs" / fmt::format("{}_0", workload);
    const WorkloadPair programs = look_at(by_looks.at(false), program, program);
    const runners::Arrangement arrangement{runners::Pairing::alternate, std::chrono::microseconds{200},
                                           std::chrono::seconds{2}};
    const auto shape = runners::shape_for(programs.facts, arrangement);
    std::map<bool, Launches> made;
    for (std::uint64_t i = 0; i < 2 * launches; ++i) {
      const bool looks = (i + i / 2) % 2 == 0;  // neither kind always follows the other
      launch_once(by_looks.at(looks), programs, runners::plan_launch(20, i, shape), made[looks]);
      if (made[looks].failed > 0) throw Error(made[looks].failure);
    }
    const auto deviation = [&](bool looks) {
      std::vector<double> ratios;
      for (const runners::Launch& launch : made[looks].good)
        ratios.push_back(analysis::launch_statistics(launch).value().median);
      return analysis::robust_deviation(ratios).value();
    };
    const double with = deviation(true);
    const double without = deviation(false);
    // The logarithm of a robust deviation of n normal values scatters by about 1.16 / sqrt(n).
    const double half = 1.96 * 1.16 * std::sqrt(2.0 / static_cast<double>(launches));
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.2f} | {:.2f} to {:.2f} |\n", workload, launches, 100 * with,
               100 * without, with / without, with / without * std::exp(-half),
               with / without * std::exp(half));
  }
}

}  // namespace tandem::evaluation
