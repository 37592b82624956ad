// Touches ever more memory, as fast as it can, up to the MiB it is told; then sleeps on it.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 0;
  for (int mebibytes = 0; mebibytes < most; ++mebibytes) {
    void* piece = std::malloc(1 << 20);
    if (piece == nullptr) return 1;
    std::memset(piece, mebibytes | 1, 1 << 20);
  }
  for (;;) ::pause();
}
