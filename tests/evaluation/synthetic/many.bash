# A program of many benchmarks, for cost.sh: kernels of 1 to 5 microseconds that differ.

many_kernels() {  # many_kernels NUMBER GUILTY: the one of that number works 10 % longer
  awk -v n="$1" -v guilty="$2" 'BEGIN {
    print "#include <cstdint>\n"
    for (i = 1; i <= n; ++i) {
      steps = 1000 + 3000 * (i % 7) / 6
      if (i == guilty) steps *= 1.1
      printf "std::uint64_t kernel_%d(std::uint64_t value) {\n  for (int i = 0; i < %d; ++i) value = (value ^ value >> %d) * %d;\n", i, steps, 13 + i % 17, 2 * i + 1
      print "  return value;\n}" } }'
}

many_program() {  # many_program NUMBER: main.cpp
  awk -v n="$1" 'BEGIN {
    print "#include \"tandem.hpp\"\n"
    for (i = 1; i <= n; ++i) printf "std::uint64_t kernel_%d(std::uint64_t value);\n", i
    print "\ntemplate <class Kernel>\ntandem::Program::Body repeated(Kernel kernel) {\n  return [kernel](std::uint64_t iterations) {"
    print "    for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(kernel(tandem::seed()));\n  };\n}\n"
    print "int main(int argc, char** argv) {\n  tandem::Program program;"
    for (i = 1; i <= n; ++i) printf "  program.add(\"kernel/%d\", [] { return repeated(kernel_%d); });\n", i, i
    print "  return program.run(argc, argv);\n}" }'
}
