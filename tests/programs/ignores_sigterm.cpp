// Does not end when asked politely: ignores SIGTERM and SIGINT and the word to quit.
#include <csignal>

#include "raw_channel.hpp"

int main() {
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
  const RawChannel channel;
  if (channel.descriptor >= 0) channel.be_honest_until_selected();
  for (;;) ::pause();
}
