// One program output of any bytes through the reader of observer lines. With libFuzzer (TANDEM_FUZZ, clang)
// this is a fuzz target; without it, observer_lines_replay_test.cpp gives it mutations of real lines.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "runners/observer_lines.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto result = tandem::runners::read_observer_lines({reinterpret_cast<const char*>(bytes), size});
  if (const auto* wrong = std::get_if<std::string>(&result)) {
    if (wrong->empty()) std::abort();
    return 0;
  }
  for (const auto& series : std::get<std::vector<tandem::runners::ObservedSeries>>(result)) {
    if (series.values.empty()) std::abort();
    for (const double value : series.values) {
      if (!std::isfinite(value)) std::abort();
    }
  }
  return 0;
}
