#include <string_view>

#include "runners/expect_sound.hpp"
#include "runners/fuzzed.hpp"
#include "runners/results/tflite_lines.hpp"

namespace tandem::runners::tests {

void fuzz_tflite_lines(const std::uint8_t* bytes, std::size_t size) {
  expect_sound(read_tflite_lines({reinterpret_cast<const char*>(bytes), size}));
}

}  // namespace tandem::runners::tests
