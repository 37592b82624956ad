// Runs half of what it was asked to run.
#include "raw_channel.hpp"
#include "work.hpp"

int main() {
  const RawChannel channel;
  channel.be_honest_until_selected();
  for (std::string line; channel.read_line(line);) {
    if (line.rfind("run ", 0) != 0) return 0;
    const unsigned long long half = std::strtoull(line.c_str() + 4, nullptr, 10) / 2;
    channel.write_line("time " + std::to_string(half) + " " + std::to_string(1000 + work(half, 1) % 2));
  }
}
