// 500 times frees one of 1024 blocks and allocates another of a random size: the allocator's lists.
#include <array>
#include <cstdlib>
#include <memory>
#include <new>

#include "evaluation/workloads/workload.hpp"

namespace tandem::evaluation {
namespace {

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

}  // namespace

const char* const name = "allocation";

Program::Body prepare() {
  const auto blocks = std::make_shared<Blocks>();
  return [blocks](std::uint64_t iterations) {
    for (std::uint64_t i = 0; i < iterations; ++i) {
      for (std::uint64_t k = with_extra(500); k > 0; --k) blocks->exchange_one();
    }
  };
}

}  // namespace tandem::evaluation
