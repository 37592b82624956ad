// Whether looking at the limits of a sandbox disturbs what runs in it: the same program on both sides,
// launches of two seconds, in turn with the limits that the daemon sets and without any, which spares the
// looks.
// ./dev evaluate looks; TANDEM_LAUNCHES=N launches of each kind for each workload.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "analysis/launch_statistics.hpp"
#include "analysis/statistics.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "support/temporary_directory.hpp"

namespace {

using namespace tandem;
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

int measure(const std::filesystem::path& build, std::size_t launches) {
  const auto found = runners::find_sandbox(build / "libexec/tandem/tandem-shim");
  if (const auto* why = std::get_if<std::string>(&found)) {
    fmt::print(stderr, "no sandbox, so nothing to measure: {}\n", *why);
    return 4;
  }
  const tests::TemporaryDirectory scratch;
  const auto& tools = std::get<runners::SandboxTools>(found);
  std::map<bool, HostPairRunner> by_looks;
  for (const bool looks : {false, true}) by_looks.try_emplace(looks, settings(tools, scratch.path(), looks));
  fmt::print(
      "| workload | launches of each | spread with looks % | without % | ratio | its 95 % interval |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const char* workload : {"arithmetic", "stream", "chase"}) {
    const std::filesystem::path program = build / "evaluation_programs" / fmt::format("{}_0", workload);
    const runners::ProgramPair pair{program, program};
    auto look = by_looks.at(false).look_at(pair, workload, {});
    if (const auto* failure = std::get_if<runners::RunFailure>(&look)) {
      fmt::print(stderr, "{}\n", failure->what);
      return 1;
    }
    const runners::Arrangement arrangement{runners::Pairing::alternate, std::chrono::microseconds{200},
                                           std::chrono::seconds{2}};
    const auto shape = runners::shape_for(std::get<runners::BenchmarkFacts>(look), arrangement);
    std::map<bool, std::vector<double>> ratios;
    for (std::uint64_t i = 0; i < 2 * launches; ++i) {
      const bool looks = (i + i / 2) % 2 == 0;  // neither kind always follows the other
      const auto result = by_looks.at(looks).launch(pair, {runners::Protocol::slices, workload, shape},
                                                    runners::plan_launch(20, i, shape), {});
      if (const auto* failure = std::get_if<runners::RunFailure>(&result)) {
        fmt::print(stderr, "{}\n", failure->what);
        return 1;
      }
      const auto& sampled = std::get<std::vector<runners::Sampled>>(result).front();
      ratios[looks].push_back(analysis::launch_statistics(sampled.launch).value().median);
    }
    const double with = analysis::robust_deviation(ratios[true]).value();
    const double without = analysis::robust_deviation(ratios[false]).value();
    // The logarithm of a deviation of n normal values scatters by about 1.16 / sqrt(n) when it is a robust
    // one.
    const double half = 1.96 * 1.16 * std::sqrt(2.0 / static_cast<double>(launches));
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.2f} | {:.2f} to {:.2f} |\n", workload, launches, 100 * with,
               100 * without, with / without, with / without * std::exp(-half),
               with / without * std::exp(half));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* launches = std::getenv("TANDEM_LAUNCHES");
  if (argc != 2) return 2;
  return measure(argv[1], launches != nullptr ? std::stoul(launches) : 40);
}
