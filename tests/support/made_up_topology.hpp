#pragma once

#include <cstdlib>
#include <string>

#include "runners/host/topology.hpp"

namespace tandem::tests {

/// A host in hwloc's notation, such as "node:2 core:4 pu:2", of which this process may use everything.
inline runners::Topology made_up_topology(const std::string& description) {
  ::setenv("HWLOC_SYNTHETIC", description.c_str(), 1);
  runners::Topology topology = runners::read_topology();
  ::unsetenv("HWLOC_SYNTHETIC");
  for (runners::Processor& processor : topology.processors) {
    processor.allowed = true;
    processor.isolated = false;
  }
  return topology;
}

}  // namespace tandem::tests
