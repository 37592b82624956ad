#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "runners/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace tandem::runners {
namespace {

TEST(ObserverLines, AreReadOrRefusedAfterTenThousandMutations) {
  const std::vector<std::string> outputs = {
      "x\nPyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"unit\":\"us\",\"value\":\"12.5\"}\n",
      "Caffe2Observer {\"NET\": {\"latency\": {\"value\": 5.5, \"unit\": \"ms\"}}, \"ID_0\": {\"flops\": "
      "3}}\n",
      "PyTorchObserver {\"type\":\"NET\",\"metric\":\"latency\",\"summary\":{\"p50\":1},\"num_runs\":3}\n"};
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "[",
                                           "]",
                                           "\"",
                                           "null",
                                           "1e999",
                                           "-",
                                           "\n",
                                           "nan",
                                           "PyTorchObserver ",
                                           "\xff",
                                           std::string(1, '\0'),
                                           "\\u0000"};
  Random random(20240501);
  for (int i = 0; i < 10'000; ++i) {
    std::string text = outputs[random.below(outputs.size())];
    for (std::uint64_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = random.below(text.size());
      switch (random.below(4)) {
        case 0:
          text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
          break;
        case 1:
          text.resize(at);
          break;
        case 2:
          text.insert(at, pieces[random.below(pieces.size())]);
          break;
        default:
          text.insert(at, text.substr(random.below(text.size()), random.below(40)));
          break;
      }
    }
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}

}  // namespace
}  // namespace tandem::runners
