// One input of any bytes through the reader of configurations, in both modes. A fuzz target of libFuzzer
// (TANDEM_FUZZ, clang); mutated_specs_test.cpp gives the same reader mutations of the sample.
#include <cstddef>
#include <cstdint>

#include "tests/config/parse_config.hpp"
#include "tests/specs/same_in_both_modes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(tandem::tests::loads_alike(text, [](std::string copy, tandem::specs::Problems& problems) {
    static_cast<void>(tandem::tests::parse_config(std::move(copy), "config.json", problems));
  }));
  return 0;
}
