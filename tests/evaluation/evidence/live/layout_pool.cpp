#include "evaluation/evidence/live/layout_pool.hpp"

#include <fmt/format.h>

#include "builders/layout.hpp"
#include "specs/error.hpp"

namespace tandem::evaluation {

namespace fs = std::filesystem;

LayoutPool::LayoutPool(fs::path home, fs::path scratch, std::size_t most)
    : home_(std::move(home)), scratch_(std::move(scratch)), most_(most) {}

fs::path LayoutPool::linked(std::uint64_t seed) {
  if (const auto ready = ready_.find(seed); ready != ready_.end()) return ready->second;
  const fs::path folder = scratch_ / fmt::format("{:016x}", seed);
  fs::remove_all(folder);
  fs::create_directories(scratch_);
  fs::copy(home_ / "out", folder, fs::copy_options::recursive);
  if (const auto why = builders::relink(home_ / "links" / "kept", home_ / "ld.lld", seed, folder))
    throw Error(*why);
  if (order_.size() >= most_) {
    fs::remove_all(ready_.at(order_.front()).parent_path());
    ready_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(seed);
  return ready_[seed] = folder / "program";
}

}  // namespace tandem::evaluation
