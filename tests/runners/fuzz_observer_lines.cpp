#include <string_view>

#include "runners/expect_sound.hpp"
#include "runners/fuzzed.hpp"
#include "runners/results/observer_lines.hpp"

namespace tandem::runners::tests {

void fuzz_observer_lines(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(bytes), size);
  expect_sound(read_observer_lines(output));
  expect_sound(read_observer_lines(output, {}));
  expect_sound(read_json_lines(output));
}

}  // namespace tandem::runners::tests
