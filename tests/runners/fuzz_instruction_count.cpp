#include <cstdlib>
#include <string_view>

#include "runners/fuzzed.hpp"
#include "runners/pairing/instruction_count.hpp"

namespace tandem::runners::tests {

void fuzz_instruction_count(const std::uint8_t* bytes, std::size_t size) {
  using specs::InstructionCounter;
  const std::string_view errors(reinterpret_cast<const char*>(bytes), size);
  const auto perf = InstructionTool{InstructionCounter::perf, {}}.total_in(errors);
  const auto callgrind = InstructionTool{InstructionCounter::callgrind, {}}.total_in(errors);
  if ((perf || callgrind) && errors.empty()) std::abort();
}

}  // namespace tandem::runners::tests
