#include "evaluation/evidence/part.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>

#include "runners/host/machine_facts.hpp"

namespace tandem::evaluation {
namespace {

std::map<std::string, std::string> host_facts() {
  const runners::MachineFacts facts = runners::read_machine_facts();
  const auto share = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f} %", 100 * *value) : std::string("unavailable");
  };
  return {{"cpu", facts.cpu_model.value_or("unavailable")},
          {"processors", std::to_string(facts.processors)},
          {"nice", std::to_string(getpriority(PRIO_PROCESS, 0))},
          {"topology", facts.topology.value_or("unavailable")},
          {"kernel", facts.kernel},
          {"compiler", __VERSION__},
          {"governor", facts.governor.value_or("unavailable")},
          {"load", facts.load ? fmt::format("{:.2f}", *facts.load) : "unavailable"},
          {"stolen since boot", share(facts.steal_share)}};
}

}  // namespace

void complete(PartResult& result, const PartSettings& settings) {
  if (result.command.empty()) result.command = "./dev evaluate " + result.part;
  result.seed = settings.seed;
  if (result.host.empty()) result.host = host_facts();
  if (result.at.empty()) {
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    result.at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  }
}

}  // namespace tandem::evaluation
