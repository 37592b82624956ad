// Writes the numbers 1 to 8, each off by the first argument, to the file of the second or to standard output.
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const double off = argc > 1 ? std::atof(argv[1]) : 0;
  std::FILE* file = argc > 2 ? std::fopen(argv[2], "wx") : stdout;
  if (file == nullptr) return 1;
  for (int number = 1; number <= 8; ++number) std::fprintf(file, "%.9g\n", number + off);
  return std::fclose(file) == 0 ? 0 : 1;
}
