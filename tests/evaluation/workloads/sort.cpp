// std::sort of 10 000 random ints: branches that no processor predicts.
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::size_t count = 10000;

// A sort of so many ints costs half a hundredth of the large one. The extra work is sorts of this size: a
// longer large one would choose other pivots, which alone changes its cost by several per cent.
constexpr std::size_t small = 92;
constexpr std::uint64_t permille_of_small = 5;

struct Numbers {
  std::vector<int> source = std::vector<int>(8 * count);
  std::vector<int> sorted = std::vector<int>(count);
};

void sort_copy(Numbers& numbers, std::size_t from, std::size_t length) {
  const auto begin = numbers.source.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = std::copy(begin, begin + static_cast<std::ptrdiff_t>(length), numbers.sorted.begin());
  std::sort(numbers.sorted.begin(), end);
  keep(numbers.sorted.front());
}

}  // namespace

const char* const name = "sort";

Program::Body prepare() {
  const auto numbers = std::make_shared<Numbers>();
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed()));
  for (int& number : numbers->source) number = static_cast<int>(random());
  // The small sorts wander through the source, lest the processor learn their branches by heart.
  return [numbers, from = std::size_t(0)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      sort_copy(*numbers, 0, count);
      for (std::uint64_t k = 0; k < extra_permille / permille_of_small; ++k) {
        sort_copy(*numbers, from, small);
        from = (from + small) % (numbers->source.size() - small);
      }
    }
  };
}

}  // namespace tandem::evaluation
