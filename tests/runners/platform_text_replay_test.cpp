#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "specs/foundation/random.hpp"
#include "tests/runners/mutations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace tandem::runners {
namespace {

TEST(PlatformText, IsReadOrPassedOverAfterTenThousandMutations) {
  const std::vector<std::string> texts = {
      "tandem-platform 1 boot\nsys/devices/system/cpu/cpu3/cpufreq/scaling_governor\tpowersave\tperformance\n"
      "proc/sys/kernel/perf_event_paranoid\t2\t1\n",
      "0-3,5,7-9\n", "processor\t: 0\nmodel name\t: X\nflags\t\t: fpu avx avx2 amx_tile\n\nprocessor\t: 1\n",
      "Features\t: fp asimd sve\n"};
  const std::vector<std::string> pieces = {
      "\n", "\t", ":", "-", ",", "../", "/", ";", "\xff", std::string(1, '\0'), "9999999", "0-", "cpu"};
  Random random(20240611);
  for (int i = 0; i < 10'000; ++i) {
    std::string text = texts[random.below(texts.size())];
    for (std::uint64_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
      tandem::tests::mutate(text, pieces, random);
    }
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace
}  // namespace tandem::runners
