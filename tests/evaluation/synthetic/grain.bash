# The sources of a little library, one definition at a time, so that verdicts.sh can put them into any file in any order.

header() {  # header: the declarations of everything, those of later commits too
  cat <<'SOURCE'
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace grain {
using Words = std::vector<std::uint64_t>;
using Reals = std::vector<double>;
std::uint64_t scramble(const Words& words);
double polynomial(const Reals& points);
std::uint64_t checksum(const Words& words);
std::uint64_t histogram(const Words& words);
std::uint64_t prefix_sums(const Words& words, Words& sums);
std::uint64_t sort_blocks(const Words& words, Words& sorted);
std::uint64_t lookup(const Words& table, const Words& keys);
double transpose(const Reals& square, Reals& turned, std::size_t side);
}  // namespace grain
SOURCE
}

definition() {  # definition NAME
  case $1 in
    scramble) cat <<'SOURCE'
std::uint64_t scramble(const Words& words) {
  std::uint64_t state = 1;
  for (const std::uint64_t word : words) {
    state = (state ^ word) * 0x9E3779B97F4A7C15u;
    state ^= state >> 29;
  }
  return state;
}
SOURCE
      ;;
    polynomial | polynomial+3)
      cat <<'SOURCE'
__attribute__((noinline)) double polynomial_sum(const Reals& points, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = points[i];
    sum += ((0.5 * x - 1.25) * x + 2.0) * x - 0.75;
  }
  return sum;
}
double polynomial(const Reals& points) {
SOURCE
      if [ "$1" = polynomial+3 ]; then
        echo '  // The beginning once more: a sum that has gone wrong shows there first.'
        echo '  if (polynomial_sum(points, points.size() * 3 / 100) > 1e300) return 0;'
      fi
      printf '  return polynomial_sum(points, points.size());\n}\n'
      ;;
    checksum | checksum-5)
      cat <<'SOURCE'
__attribute__((noinline)) std::uint64_t fold(const Words& words, std::size_t count, std::uint64_t state) {
  for (std::size_t i = 0; i < count; ++i) state = (state << 7 | state >> 57) * 31 + words[i];
  return state;
}
std::uint64_t checksum(const Words& words) {
SOURCE
      if [ "$1" = checksum ]; then
        echo '  // A nineteenth of them twice: one in twenty steps, which a later commit saves.'
        echo '  const std::uint64_t start = fold(words, words.size() / 19, 1);'
      else
        echo '  const std::uint64_t start = 1;'
      fi
      printf '  return fold(words, words.size(), start);\n}\n'
      ;;
    histogram) cat <<'SOURCE'
std::uint64_t histogram(const Words& words) {
  std::uint64_t counts[256] = {};
  for (const std::uint64_t word : words) {
    for (int shift = 0; shift < 64; shift += 8) ++counts[word >> shift & 255];
  }
  std::uint64_t most = 0;
  for (const std::uint64_t count : counts) most = count > most ? count : most;
  return most;
}
SOURCE
      ;;
    prefix_sums) cat <<'SOURCE'
std::uint64_t prefix_sums(const Words& words, Words& sums) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    total += words[i] % 1021;
    sums[i] = total;
  }
  return total;
}
SOURCE
      ;;
    sort_blocks) cat <<'SOURCE'
std::uint64_t sort_blocks(const Words& words, Words& sorted) {
  constexpr std::size_t block = 16;
  for (std::size_t begin = 0; begin + block <= words.size(); begin += block) {
    for (std::size_t i = 0; i < block; ++i) {
      const std::uint64_t word = words[begin + i];
      std::size_t place = i;
      for (; place > 0 && sorted[begin + place - 1] > word; --place) sorted[begin + place] = sorted[begin + place - 1];
      sorted[begin + place] = word;
    }
  }
  return sorted.front();
}
SOURCE
      ;;
    lookup) cat <<'SOURCE'
std::uint64_t lookup(const Words& table, const Words& keys) {
  const std::size_t mask = table.size() - 1;
  std::uint64_t found = 0;
  for (const std::uint64_t key : keys) {
    std::size_t place = key * 0xD6E8FEB86659FD93u >> 32 & mask;
    for (int step = 0; step < 8 && table[place] != key; ++step) place = (place + 1) & mask;
    found += table[place] == key;
  }
  return found;
}
SOURCE
      ;;
    transpose) cat <<'SOURCE'
double transpose(const Reals& square, Reals& turned, std::size_t side) {
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) turned[column * side + row] = square[row * side + column];
  }
  return turned.back();
}
SOURCE
      ;;
    dead) # dead code: forty functions that nobody calls, about six KiB
      awk 'BEGIN { for (i = 1; i <= 40; ++i) {
        printf "std::uint64_t retired_%d(const Words& words, std::uint64_t limit) {\n  std::uint64_t state = %d;\n", i, i
        printf "  for (const std::uint64_t word : words) {\n    if (word %% %d > limit) state = (state ^ word) * %d;\n", 7 + i, 2 * i + 1
        print  "    else state += word >> 3;\n  }\n  return state;\n}" } }'
      ;;
  esac
}

source_file() {  # source_file PATH DEFINITION…
  local path=$1 name
  shift
  {
    printf '#include "grain.hpp"\n\nnamespace grain {\n'
    for name; do echo; definition "$name"; done
    printf '\n}  // namespace grain\n'
  } >"$path"
}

program() {  # program [transpose]: main.cpp; `--count NAME N` runs a benchmark N times without a clock
  cat <<'SOURCE'
#include <map>

#include "grain.hpp"
#include "tandem.hpp"

namespace {

grain::Words random_words(std::size_t count) {
  std::uint64_t state = tandem::seed();
  grain::Words words(count);
  for (std::uint64_t& word : words) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    word = state ^ state >> 31;
  }
  return words;
}

grain::Reals random_reals(std::size_t count) {
  grain::Reals reals;
  for (const std::uint64_t word : random_words(count)) reals.push_back(static_cast<double>(word % 2000) / 1000 - 1);
  return reals;
}

grain::Words table_of(const grain::Words& keys, std::size_t size) {
  grain::Words table(size);
  for (const std::uint64_t key : keys) table[(key * 0xD6E8FEB86659FD93u >> 32) & (size - 1)] = key;
  return table;
}

template <class Once>
tandem::Program::Body repeated(Once once) {
  return [once](std::uint64_t iterations) mutable {
    for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(once());
  };
}

}  // namespace

int main(int argc, char** argv) {
  const grain::Words words = random_words(2000);
  const grain::Reals reals = random_reals(2500);
  std::map<std::string, tandem::Program::Body> bodies;
  bodies["scramble"] = repeated([words] { return grain::scramble(words); });
  bodies["polynomial"] = repeated([reals] { return grain::polynomial(reals); });
  bodies["checksum"] = repeated([words] { return grain::checksum(words); });
  bodies["histogram"] = repeated([words] { return grain::histogram(words); });
  bodies["prefix_sums"] = repeated([words, sums = words]() mutable { return grain::prefix_sums(words, sums); });
  bodies["sort_blocks"] = repeated([words, sorted = words]() mutable { return grain::sort_blocks(words, sorted); });
  bodies["lookup"] = repeated([words, table = table_of(words, 4096)] { return grain::lookup(table, words); });
SOURCE
  if [ "${1:-}" = transpose ]; then
    echo '  bodies["transpose"] = repeated([reals, turned = reals]() mutable { return grain::transpose(reals, turned, 50); });'
  fi
  cat <<'SOURCE'
  if (argc == 4 && std::string(argv[1]) == "--count") {
    bodies.at(argv[2])(std::strtoull(argv[3], nullptr, 10));
    return 0;
  }
  tandem::Program program;
  for (const auto& named : bodies) program.add(named.first, [body = named.second] { return body; });
  return program.run(argc, argv);
}
SOURCE
}

instructions_of() {  # instructions_of COMMIT BENCHMARK: of a hundred iterations, without the program's start
  built grain "$1" "$scratch/program"
  echo $(($(collected "$scratch/program" --count "$2" 100) - $(collected "$scratch/program" --count "$2" 0)))
}
