// Speaks nonsense on the channel as soon as it may speak.
#include "raw_channel.hpp"

int main() {
  const RawChannel channel;
  std::string line;
  channel.read_line(line);
  channel.write_line(std::string("\x01\x02\xff{]}, \t", 9) + std::string(500, '#'));
  channel.read_line(line);
}
