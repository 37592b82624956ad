#pragma once

#include <atomic>
#include <cstddef>
#include <future>

namespace tandem::specs::example {

/// Calls `work(i)` for every i below `count` from two threads; an exception of either reaches the caller.
template <class Work>
void two_at_a_time(std::size_t count, const Work& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  auto other = std::async(std::launch::async, take);
  take();
  other.get();
}

}  // namespace tandem::specs::example
