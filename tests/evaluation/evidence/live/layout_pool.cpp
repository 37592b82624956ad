#include "evaluation/evidence/live/layout_pool.hpp"

#include <fmt/format.h>

#include "builders/layout/layout.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {

namespace fs = std::filesystem;

LayoutPool::LayoutPool(fs::path home, fs::path scratch)
    : home_(std::move(home)), scratch_(std::move(scratch)) {}

fs::path LayoutPool::link(std::uint64_t seed) const {
  const fs::path folder = scratch_ / fmt::format("{:016x}", seed);
  fs::remove_all(folder);
  fs::create_directories(scratch_);
  fs::copy(home_ / "out", folder, fs::copy_options::recursive);
  if (const auto why = builders::relink(home_ / "links" / "kept", home_ / "ld.lld", seed, folder))
    throw Error(why->sentence);
  return folder / "program";
}

fs::path LayoutPool::linked(std::uint64_t seed) {
  if (const auto ready = ready_.find(seed); ready != ready_.end()) return ready->second;
  return ready_[seed] = link(seed);
}

fs::path LayoutPool::linked_once(std::uint64_t seed) {
  constexpr std::size_t most = 4;  // both sides of a unit, and of the one before
  if (used_once_.size() >= most) {
    fs::remove_all(used_once_.front().parent_path());
    used_once_.pop_front();
  }
  used_once_.push_back(link(seed));
  return used_once_.back();
}

}  // namespace tandem::evaluation
