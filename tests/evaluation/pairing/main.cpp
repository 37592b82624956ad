// What pairing.sh measures with: one estimate, the costs, one rank-sum test, or the table of all.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/rivals/rank_sum.hpp"
#include "evaluation/pairing/arrangement.hpp"
#include "evaluation/pairing/costs.hpp"
#include "evaluation/pairing/estimate.hpp"
#include "evaluation/pairing/rows.hpp"
#include "evaluation/pairing/table.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

constexpr const char* usage =
    "usage: evaluation_pairing estimate METHOD SECONDS SEED CONTROL TREATMENT SCRATCH\n"
    "       evaluation_pairing usual PROGRAM SCRATCH\n"
    "       evaluation_pairing costs EMPTY_PROGRAM BUSY_PROGRAM SCRATCH\n"
    "       evaluation_pairing differ FILE FILE\n"
    "       evaluation_pairing table ROWS\n"
    "METHOD is sequence, process, alternate, duet or PAIRING:SLICE_US:LAUNCH_MS.\n";

using Words = std::vector<std::string>;

runners::HostPairRunner runner_in(const std::string& scratch) {
  runners::HostSettings settings;
  settings.scratch = scratch;
  return runners::HostPairRunner(settings);
}

runners::MeasuringLock lock() {
  return runners::MeasuringLock(
      [](const std::string& holder) { fmt::print(stderr, "pairing: waiting for {}\n", holder); });
}

Row estimate(runners::PairRunner& runner, const Words& words) {
  const std::string& method = words[0];
  const double seconds = std::stod(words[1]);
  const std::uint64_t seed = std::stoull(words[2]);
  const Ground ground = look_at(runner, words[3], words[4]);
  if (method == "sequence") return estimate_one_after_the_other(runner, ground, seconds, seed);
  std::optional<runners::Arrangement> arrangement = arrangement_named(method);
  if (!arrangement) {
    const auto pairing = runners::pairing_named(method);
    if (!pairing) throw Error(fmt::format("there is no method \"{}\"", method));
    const auto usual = usual_arrangement(ground, *pairing);
    if (const auto* why = std::get_if<std::string>(&usual))
      return {{}, 0, {}, "refused", {}, {}, {}, 0, *why};
    arrangement = std::get<runners::Arrangement>(usual);
  }
  return estimate_paired(runner, ground, *arrangement, seconds, seed);
}

/// The usual arrangements, one per line behind the name of the pairing.
void print_usual(runners::PairRunner& runner, const Words& words) {
  const Ground ground = look_at(runner, words[0], words[0]);
  for (const auto pairing :
       {runners::Pairing::process, runners::Pairing::alternate, runners::Pairing::duet}) {
    const auto usual = usual_arrangement(ground, pairing);
    if (const auto* arrangement = std::get_if<runners::Arrangement>(&usual)) {
      fmt::print("{} {}\n", runners::name_of(pairing), name_of(*arrangement));
    }
  }
}

std::vector<double> numbers_in(const std::string& path) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (double number = 0; file >> number;) numbers.push_back(number);
  if (numbers.empty() || !file.eof()) throw Error(fmt::format("{} has something else than numbers", path));
  return numbers;
}

/// ln of the ratio of the medians, and the p-value.
void print_difference(const Words& words) {
  const std::vector<double> control = numbers_in(words[0]);
  const std::vector<double> treatment = numbers_in(words[1]);
  fmt::print("{:.9g} {:.6g}\n", std::log(*analysis::median(treatment)) - std::log(*analysis::median(control)),
             rival::exact_rank_sum_p(control, treatment));
}

void print_table(const Words& words) {
  std::ifstream file(words[0]);
  if (!file) throw Error(fmt::format("cannot read {}", words[0]));
  const std::vector<Row> rows = read_rows(file);
  fmt::print("{}", pairing_table(rows));
}

int run(const std::string& command, const Words& words) {
  static const std::map<std::string, std::size_t> commands = {
      {"estimate", 6}, {"usual", 2}, {"costs", 3}, {"differ", 2}, {"table", 1}};
  const auto known = commands.find(command);
  if (known == commands.end() || words.size() != known->second) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  if (command == "differ") {
    print_difference(words);
    return 0;
  }
  if (command == "table") {
    print_table(words);
    return 0;
  }
  const runners::MeasuringLock held = lock();
  runners::HostPairRunner runner = runner_in(words.back());
  if (command == "estimate") {
    fmt::print("{}\n", rest_of_line(estimate(runner, words)));
  } else if (command == "usual") {
    print_usual(runner, words);
  } else {
    for (const Row& row :
         costs_of(runner, look_at(runner, words[0], words[0]), look_at(runner, words[1], words[1]))) {
      fmt::print("{}\t{}\t{}\t{}\n", row.workload, row.percent, row.method, rest_of_line(row));
    }
  }
  return 0;
}

}  // namespace
}  // namespace tandem::evaluation

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.empty()) return tandem::evaluation::run("", {});
    return tandem::evaluation::run(words.front(), {words.begin() + 1, words.end()});
  } catch (const std::exception& error) {
    fmt::print(stderr, "pairing: {}\n", error.what());
    return 1;
  }
}
