// Honest, without the shared page: the slice protocol by lines alone, as a program in any language would
// speak it.
#include <chrono>

#include "raw_channel.hpp"
#include "work.hpp"

int main() {
  const RawChannel channel;
  channel.be_honest_until_selected();
  std::uint64_t value = 1;
  for (std::string line; channel.read_line(line) && line.rfind("run ", 0) == 0;) {
    const unsigned long long iterations = std::strtoull(line.c_str() + 4, nullptr, 10);
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned long long i = 0; i < iterations; ++i) value = work(2000, value | 1);
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    channel.write_line("metric checksum " + std::to_string(value % 1000) + " 1");
    channel.write_line("time " + std::to_string(iterations) + " " +
                       std::to_string(std::chrono::nanoseconds(elapsed).count()));
  }
}
