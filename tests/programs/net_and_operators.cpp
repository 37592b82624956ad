// Prints so many rows of a whole net as the first argument says, and after each one of three operators.
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  const int rows = argc > 1 ? std::atoi(argv[1]) : 10;
  const auto print = [](const char* type, double value) {
    std::printf(
        "PyTorchObserver {\"type\": \"%s\", \"metric\": \"latency\", \"unit\": \"us\", \"value\": \"%g\"}\n",
        type, value);
  };
  for (int row = 1; row <= rows; ++row) {
    print("NET", 100 + row);
    print("Conv", 60 + row);
    print("Relu", 10 + row);
    print("Softmax", 20 + row);
  }
  return 0;
}
