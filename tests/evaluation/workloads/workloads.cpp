// The workloads. WORKLOAD names the one that this object file is: all of it that the others need is left out.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <random>
#include <unordered_map>
#include <vector>

#include "evaluation/workloads/workload.hpp"
#include "programs/work.hpp"

namespace tandem::evaluation {
namespace {

/// Dependent integer arithmetic that stays in registers: what tests/programs/steady does.
[[maybe_unused]] Program::Body arithmetic() {
  return [value = seed()](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) keep(value = work(with_extra(2000), value | 1));
  };
}

constexpr std::uint64_t rare_units = 500;  // of work in an ordinary iteration: some 2 µs
constexpr std::uint64_t rare_period = 500;
constexpr std::uint64_t rare_thousandth = rare_period * rare_units / 1000;

/// Even arithmetic with an event about once per millisecond that takes 2 % of all work. The extra work is in
/// the event alone: with 2 % more in all it costs twice as much, and a short slice is mostly without one.
[[maybe_unused]] Program::Body rare() {
  return [value = seed(), count = std::uint64_t(0)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      keep(value = work(rare_units, value | 1));
      if (++count % rare_period == 0) keep(value = work((20 + extra_permille) * rare_thousandth, value | 1));
    }
  };
}

constexpr std::size_t random_bytes = std::size_t(1) << 19;

/// Decides 1000 times by random bytes, of which there are more than a predictor can learn.
[[maybe_unused]] Program::Body branches() {
  const auto data = std::make_shared<std::vector<unsigned char>>(random_bytes);
  std::mt19937_64 random(seed());
  for (unsigned char& byte : *data) byte = static_cast<unsigned char>(random() >> 40);
  return [data, at = std::size_t(0)](std::uint64_t iterations) mutable {
    std::uint64_t even = 0;
    std::uint64_t odd = 0;
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t k = with_extra(1000); k > 0; --k) {
        const unsigned char byte = (*data)[at];
        at = (at + 1) % random_bytes;
        // Each arm is looked at, lest the compiler make one piece without a branch of the two.
        if (byte % 2 == 0) {
          keep(even += byte);
        } else {
          keep(odd ^= byte);
        }
      }
    }
  };
}

/// Sizes from 16 bytes to 4 KiB, small ones more often than large ones.
class Blocks {
 public:
  Blocks() : random_(seed() | 1) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) exchange_one();
  }
  ~Blocks() {
    for (void* block : blocks_) std::free(block);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void exchange_one() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    void*& block = blocks_[random_ % blocks_.size()];
    std::free(block);
    const std::size_t largest = std::size_t(64) << (random_ >> 32) % 7;
    block = std::malloc(16 + (random_ >> 40) % largest);
    if (block == nullptr) throw std::bad_alloc();
    *static_cast<volatile char*>(block) = 1;
  }

 private:
  std::array<void*, 1024> blocks_{};
  std::uint64_t random_;
};

/// 500 times frees one of 1024 blocks and allocates another of a random size: the allocator's lists.
[[maybe_unused]] Program::Body allocation() {
  const auto blocks = std::make_shared<Blocks>();
  return [blocks](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t k = with_extra(500); k > 0; --k) blocks->exchange_one();
    }
  };
}

constexpr std::size_t sorted_ints = 10000;

// A sort of so many ints costs half a hundredth of the large one. The extra work is sorts of this size: a
// longer large one would choose other pivots, which alone changes its cost by several per cent.
constexpr std::size_t few_ints = 92;
constexpr std::uint64_t permille_of_few = 5;

struct Numbers {
  std::vector<int> source = std::vector<int>(8 * sorted_ints);
  std::vector<int> sorted = std::vector<int>(sorted_ints);
};

[[maybe_unused]] void sort_copy(Numbers& numbers, std::size_t from, std::size_t length) {
  const auto begin = numbers.source.begin() + static_cast<std::ptrdiff_t>(from);
  const auto end = std::copy(begin, begin + static_cast<std::ptrdiff_t>(length), numbers.sorted.begin());
  std::sort(numbers.sorted.begin(), end);
  keep(numbers.sorted.front());
}

/// std::sort of 10 000 random ints: branches that no processor predicts.
[[maybe_unused]] Program::Body sort() {
  const auto numbers = std::make_shared<Numbers>();
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed()));
  for (int& number : numbers->source) number = static_cast<int>(random());
  // The small sorts wander through the source, lest the processor learn their branches by heart.
  return [numbers, from = std::size_t(0)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      sort_copy(*numbers, 0, sorted_ints);
      for (std::uint64_t k = 0; k < extra_permille / permille_of_few; ++k) {
        sort_copy(*numbers, from, few_ints);
        from = (from + few_ints) % (numbers->source.size() - few_ints);
      }
    }
  };
}

struct Table {
  std::unordered_map<std::uint64_t, std::uint64_t> values;
  std::vector<std::uint64_t> wanted;
};

constexpr std::size_t entries = 10000;

/// 10 000 lookups in an unordered_map of 10 000 entries: short dependent chains through the second-level
/// cache.
[[maybe_unused]] Program::Body hash() {
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

struct alignas(64) Node {
  const Node* next;
};

/// One cycle through all nodes, drawn by Sattolo's algorithm.
[[maybe_unused]] void join(std::vector<Node>& nodes) {
  std::vector<std::uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(seed());
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random() % i]);
  for (std::size_t i = 0; i < order.size(); ++i) nodes[i].next = &nodes[order[i]];
}

/// Follows pointers through 4 MiB in random order: every step waits for memory.
[[maybe_unused]] Program::Body chase() {
  const auto nodes = std::make_shared<std::vector<Node>>(4 * 1024 * 1024 / sizeof(Node));
  join(*nodes);
  return [nodes, at = static_cast<const Node*>(nodes->data())](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t step = with_extra(1000); step > 0; --step) at = at->next;
      keep(at);
    }
  };
}

// Rows of a fixed length keep the inner loop the same however many of them there are.
using Row = std::array<std::uint32_t, 132>;
constexpr std::size_t stream_rows = 2000;

struct StreamBuffers {
  std::vector<Row> from = std::vector<Row>(stream_rows + stream_rows / 10);
  std::vector<Row> to = std::vector<Row>(stream_rows + stream_rows / 10);
};

/// Copies 1 MiB and sums it up: the width of the second-level cache.
[[maybe_unused]] Program::Body stream() {
  const auto buffers = std::make_shared<StreamBuffers>();
  std::uint32_t value = static_cast<std::uint32_t>(seed());
  for (Row& row : buffers->from) {
    for (std::uint32_t& number : row) number = value = value * 1664525u + 1013904223u;
  }
  return [buffers](std::uint64_t iterations) {
    const std::uint64_t copied = with_extra(stream_rows);
    for (std::uint64_t i = 0; i < iterations; ++i) {
      std::uint32_t sum = 0;
      for (std::uint64_t k = 0; k < copied; ++k) {
        buffers->to[k] = buffers->from[k];
        for (const std::uint32_t number : buffers->from[k]) sum += number;
      }
      keep(sum);
      keep(buffers->to);
    }
  };
}

constexpr std::size_t row_bytes = 4096;
constexpr std::size_t bandwidth_rows = 64 * 1024 * 1024 / row_bytes;
constexpr std::size_t piece_rows = 100;  // short enough for slices of 0.1 ms

struct BandwidthBuffers {
  std::vector<unsigned char> from = std::vector<unsigned char>(bandwidth_rows * row_bytes);
  std::vector<unsigned char> to = std::vector<unsigned char>(bandwidth_rows * row_bytes);
};

/// Copies 64 MiB to another 64 MiB, a piece per iteration: the width of main memory.
[[maybe_unused]] Program::Body bandwidth() {
  const auto buffers = std::make_shared<BandwidthBuffers>();
  std::memset(buffers->from.data(), static_cast<int>(seed() & 0xff), buffers->from.size());
  return [buffers, row = std::size_t(0)](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t k = with_extra(piece_rows); k > 0; --k) {
        std::memcpy(buffers->to.data() + row * row_bytes, buffers->from.data() + row * row_bytes, row_bytes);
        row = (row + 1) % bandwidth_rows;
      }
      keep(buffers->to);
    }
  };
}

/// Does nothing: what is left is the price of the slices themselves.
[[maybe_unused]] Program::Body empty() {
  return [](std::uint64_t iterations) { keep(iterations); };
}

}  // namespace

#define QUOTED(text) #text
#define NAME_OF(workload) QUOTED(workload)
const char* const name = NAME_OF(WORKLOAD);

Program::Body prepare() {
  return WORKLOAD();
}

}  // namespace tandem::evaluation
