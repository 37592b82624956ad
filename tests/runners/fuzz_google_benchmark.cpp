#include <string_view>

#include "runners/expect_sound.hpp"
#include "runners/fuzzed.hpp"
#include "runners/results/google_benchmark.hpp"

namespace tandem::runners::tests {

void fuzz_google_benchmark(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(bytes), size);
  expect_sound(read_google_benchmark(output));
  const auto list = read_google_list(output);
  if (const auto* names = std::get_if<std::vector<std::string>>(&list)) {
    for (const std::string& name : *names) {
      if (name.empty() || google_run_arguments(name).size() != 2) std::abort();
    }
  }
}

}  // namespace tandem::runners::tests
