// Follows pointers through 4 MiB in random order: every step waits for memory.
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

struct alignas(64) Node {
  const Node* next;
};

/// One cycle through all nodes, drawn by Sattolo's algorithm.
void join(std::vector<Node>& nodes) {
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(seed());
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (std::size_t i = 0; i < order.size(); ++i) nodes[i].next = &nodes[order[i]];
}

}  // namespace

const char* const name = "chase";

Program::Body prepare() {
  const auto nodes = std::make_shared<std::vector<Node>>(4 * 1024 * 1024 / sizeof(Node));
  join(*nodes);
  return [nodes, at = static_cast<const Node*>(nodes->data())](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t step = with_extra(1000); step > 0; --step) at = at->next;
      keep(at);
    }
  };
}

}  // namespace tandem::evaluation
