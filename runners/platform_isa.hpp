#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::runners {

/// One instruction set extension that operators are written for.
struct IsaFeature {
  std::string name;  ///< as people write it: "AVX-512-VNNI"
  std::string flag;  ///< as the kernel writes it: "avx512_vnni"
  bool present = false;
};

/// The extensions of the architecture that the text of /proc/cpuinfo is about, present or not; empty if it
/// tells of none.
[[nodiscard]] std::vector<IsaFeature> read_isa(std::string_view cpuinfo);

/// The names of those present.
[[nodiscard]] std::vector<std::string> present_in(const std::vector<IsaFeature>& isa);

}  // namespace tandem::runners
