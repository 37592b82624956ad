// Closes the channel after its benchmark was selected, and lives on.
#include "raw_channel.hpp"

int main() {
  const RawChannel channel;
  channel.be_honest_until_selected();
  ::close(channel.descriptor);
  for (;;) ::pause();
}
