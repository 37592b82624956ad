#include <string_view>

#include "runners/expect_sound.hpp"
#include "runners/fuzzed.hpp"
#include "runners/results/benchdnn_lines.hpp"

namespace tandem::runners::tests {

/// The first line is the template that the command line asks for.
void fuzz_benchdnn_lines(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(bytes), size);
  expect_sound(read_benchdnn_lines(output));
  const std::string asked(output.substr(0, output.find('\n')));
  expect_sound(read_benchdnn_lines(output, {asked}));
}

}  // namespace tandem::runners::tests
