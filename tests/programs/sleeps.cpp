// Does nothing for ever.
#include <unistd.h>

int main() {
  for (;;) ::pause();
}
