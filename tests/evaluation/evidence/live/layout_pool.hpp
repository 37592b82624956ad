#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <string>

namespace tandem::evaluation {

/// Linkings of one program in any number of orders. The program and the captured inputs of its link stand in
/// `home`, as layouts.sh leaves them: out/program, links/kept, and ld.lld.
class LayoutPool {
 public:
  /// Linkings are made in `scratch` and stay there.
  LayoutPool(std::filesystem::path home, std::filesystem::path scratch);

  [[nodiscard]] std::filesystem::path as_built() const { return home_ / "out" / "program"; }
  /// The program in the order that the seed decides. Throws Error with lld's words when it cannot be linked.
  [[nodiscard]] std::filesystem::path linked(std::uint64_t seed);
  /// The same for one use: only the newest few of these stay.
  [[nodiscard]] std::filesystem::path linked_once(std::uint64_t seed);

 private:
  [[nodiscard]] std::filesystem::path link(std::uint64_t seed) const;

  std::filesystem::path home_;
  std::filesystem::path scratch_;
  std::map<std::uint64_t, std::filesystem::path> ready_;
  std::deque<std::filesystem::path> used_once_;
};

}  // namespace tandem::evaluation
