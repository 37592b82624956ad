// The libFuzzer target of one of the functions in fuzzed.hpp: TANDEM_FUZZED.
#include "runners/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tandem::runners::tests::TANDEM_FUZZED(bytes, size);
  return 0;
}
