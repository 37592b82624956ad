// Prints what FAI-PEP's programs print: a net and one operator, in the new form, or in the old one with
// --old.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "work.hpp"

#ifndef UNITS
#define UNITS 200000
#endif

int main(int argc, char** argv) {
  const bool old_form = argc > 1 && std::strcmp(argv[1], "--old") == 0;
  std::uint64_t value = 1;
  std::puts("loading the model");
  for (int iteration = 0; iteration < 40; ++iteration) {
    const auto begin = std::chrono::steady_clock::now();
    value = work(UNITS, value | 1);
    const double us =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    if (old_form) {
      std::printf("Caffe2Observer {\"NET\": {\"latency\": {\"value\": %.3f, \"unit\": \"us\"}}}\n", us);
    } else {
      std::printf(
          "PyTorchObserver {\"type\": \"NET\", \"metric\": \"latency\", \"unit\": \"us\", \"value\": "
          "\"%.3f\"}\n",
          us);
      std::printf(
          "PyTorchObserver {\"type\": \"MatMul\", \"metric\": \"latency\", \"unit\": \"us\", \"value\": "
          "\"%.3f\"}\n",
          us * 0.75);
    }
  }
  return value == 0 ? 1 : 0;
}
