#include "runners/host/devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "specs/foundation/error.hpp"
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

using Cpus = std::vector<int>;
using DeviceTexts = std::vector<std::string>;
constexpr std::string_view digits = "0123456789";

std::optional<int> device_number(std::string_view text) {
  const auto number = number_from<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// "4" or "0-3": a part of a list of processors.
bool is_range(std::string_view text) {
  return !text.empty() && digits.find(text[0]) != std::string_view::npos &&
         text.find_first_not_of("0123456789-,") == std::string_view::npos;
}

bool is_list(std::string_view name) {
  return name.starts_with("cpu") && is_range(name.substr(3));
}

[[noreturn]] void refuse_device(const Topology& topology, std::string_view name, const std::string& why) {
  throw InputError(
      fmt::format("device \"{}\": {}; this host has {}", name, why, fmt::join(device_names(topology), ", ")));
}

/// Strict where the kernel's own lists are read with patience: these were written by a person.
Cpus listed(const Topology& topology, std::string_view name) {
  std::set<int> cpus;
  std::string_view rest = name.substr(3);
  const auto most = static_cast<int>(topology.processors.empty() ? 0 : topology.processors.back().cpu);
  do {
    const auto end = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, end);
    const auto dash = std::min(part.find('-'), part.size());
    const auto first = device_number(part.substr(0, dash));
    const auto last = dash == part.size() ? first : device_number(part.substr(dash + 1));
    if (!first || !last || *first > *last)
      refuse_device(topology, name, "that is no list of processors, such as cpu0-3 or cpu1,5");
    // One too many is enough to be refused.
    for (int cpu = *first; cpu <= std::min(*last, most + 1); ++cpu) cpus.insert(cpu);
    if (*first > most) cpus.insert(*first);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  } while (!rest.empty());
  return {cpus.begin(), cpus.end()};
}

template <class Which>
Cpus those(const Topology& topology, Which which) {
  Cpus cpus;
  for (const Processor& processor : topology.processors) {
    if (which(processor)) cpus.push_back(processor.cpu);
  }
  return cpus;
}

int fastest_kind(const Topology& topology) {
  int kind = 0;
  for (const Processor& processor : topology.processors) kind = std::max(kind, processor.kind);
  return kind;
}

Cpus cpus_of(const Topology& topology, std::string_view name) {
  const int fastest = fastest_kind(topology);
  if (name == "host") return allowed_processors(topology);
  if (name == "performance")
    return those(topology, [&](const Processor& one) { return one.kind == fastest; });
  if (name == "efficiency") {
    Cpus others = those(topology, [&](const Processor& one) { return one.kind != fastest; });
    if (others.empty()) refuse_device(topology, name, "all cores of this host are of one kind");
    return others;
  }
  if (is_list(name)) return listed(topology, name);
  if (const auto node = name.starts_with("node") ? device_number(name.substr(4)) : std::nullopt) {
    Cpus near = those(topology, [&](const Processor& one) { return one.node == *node; });
    if (near.empty()) refuse_device(topology, name, "there is no such memory node");
    return near;
  }
  refuse_device(
      topology, name,
      "devices are processors of this machine; phones (Android, iOS) and other machines are out of scope");
}

/// "cpu0,2,node1" as "cpu0,2" and "node1".
DeviceTexts split(std::string_view names) {
  DeviceTexts all;
  while (!names.empty()) {
    const auto end = std::min(names.find(','), names.size());
    std::string_view name = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    if (name.empty()) continue;
    if (is_range(name) && !all.empty() && all.back().starts_with("cpu")) {
      all.back() += fmt::format(",{}", name);
    } else {
      all.emplace_back(name);
    }
  }
  return all;
}

}  // namespace

Device device_named(const Topology& topology, std::string_view name) {
  const Cpus cpus = cpus_of(topology, name);
  const Cpus allowed = allowed_processors(topology);
  Cpus forbidden, usable;
  for (const int cpu : cpus)
    (std::binary_search(allowed.begin(), allowed.end(), cpu) ? usable : forbidden).push_back(cpu);
  // Of a group those count that may be used; a list was meant as it stands.
  if (usable.empty() || (is_list(name) && !forbidden.empty())) {
    refuse_device(topology, name,
                  fmt::format("this process may not use processor {}, only {}", cpu_list(forbidden),
                              cpu_list(allowed)));
  }
  return {std::string(name), choose_cpus(with_only(topology, cpus))};
}

std::vector<std::string> device_names(const Topology& topology) {
  std::set<int> nodes, kinds;
  for (const Processor& processor : topology.processors) {
    nodes.insert(processor.node);
    kinds.insert(processor.kind);
  }
  DeviceTexts names = {"host", "cpuN"};
  for (const int node : nodes) names.push_back(fmt::format("node{}", node));
  names.emplace_back("performance");
  if (kinds.size() > 1) names.emplace_back("efficiency");
  return names;
}

std::vector<Device> choose_devices(const Topology& topology, std::string_view wanted,
                                   std::string_view excluded) {
  // Lists of processors are alike if they hold the same ones; other names only if they are the same.
  const auto same_as = [&](const std::string& name) {
    return is_list(name) ? "cpu" + cpu_list(listed(topology, name)) : name;
  };
  std::set<std::string> seen;
  for (const std::string& name : split(excluded)) {
    static_cast<void>(cpus_of(topology, name));
    seen.insert(same_as(name));
  }
  DeviceTexts names = split(wanted);
  if (names.empty()) names = {"host"};
  std::vector<Device> devices;
  for (const std::string& name : names) {
    Device device = device_named(topology, name);
    if (seen.insert(same_as(name)).second) devices.push_back(std::move(device));
  }
  if (devices.empty()) {
    throw InputError(fmt::format("all devices that were asked for are excluded; this host has {}",
                                 fmt::join(device_names(topology), ", ")));
  }
  return devices;
}

}  // namespace tandem::runners
