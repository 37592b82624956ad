// 10 000 lookups in an unordered_map of 10 000 entries: short dependent chains through the second-level
// cache.
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

struct Table {
  std::unordered_map<std::uint64_t, std::uint64_t> values;
  std::vector<std::uint64_t> wanted;
};

constexpr std::size_t entries = 10000;

}  // namespace

const char* const name = "hash";

Program::Body prepare() {
  const auto table = std::make_shared<Table>();
  std::mt19937_64 random(seed());
  std::vector<std::uint64_t> keys(entries);
  for (std::uint64_t& key : keys) {
    key = random();
    table->values[key] = key >> 7;
  }
  table->wanted.resize(entries + entries / 10);
  for (std::uint64_t& key : table->wanted) key = keys[random() % entries];
  return [table](std::uint64_t iterations) {
    const std::uint64_t lookups = with_extra(entries);
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::uint64_t sum = 0;
      for (std::uint64_t k = 0; k < lookups; ++k) sum += table->values.find(table->wanted[k])->second;
      keep(sum);
    }
  };
}

}  // namespace tandem::evaluation
