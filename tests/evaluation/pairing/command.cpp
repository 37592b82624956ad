#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/rivals/tools.hpp"
#include "evaluation/pairing/pairing.hpp"
#include "runners/pairing/measuring_lock.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

constexpr const char* usage =
    "usage: tandem_evidence pairing estimate METHOD SECONDS SEED CONTROL TREATMENT SCRATCH\n"
    "       tandem_evidence pairing usual PROGRAM SCRATCH\n"
    "       tandem_evidence pairing costs EMPTY_PROGRAM BUSY_PROGRAM SCRATCH\n"
    "       tandem_evidence pairing differ FILE FILE\n"
    "       tandem_evidence pairing table ROWS\n"
    "METHOD is sequence, process, alternate, duet or PAIRING:SLICE_US:LAUNCH_MS.\n";

using Words = std::vector<std::string>;

Row estimate(runners::PairRunner& runner, const Words& words) {
  const std::string& method = words[1];
  const double seconds = std::stod(words[2]);
  const std::uint64_t seed = std::stoull(words[3]);
  const WorkloadPair programs = look_at(runner, words[4], words[5]);
  if (method == "sequence") return estimate_one_after_the_other(runner, programs, seconds, seed);
  std::optional<runners::Arrangement> arrangement = arrangement_named(method);
  if (!arrangement) {
    const auto pairing = runners::pairing_named(method);
    if (!pairing) throw Error(fmt::format("there is no method \"{}\"", method));
    const auto usual = usual_arrangement(programs, *pairing);
    if (const auto* why = std::get_if<std::string>(&usual))
      return {{}, 0, {}, "refused", {}, {}, {}, 0, *why};
    arrangement = std::get<runners::Arrangement>(usual);
  }
  return estimate_paired(runner, programs, *arrangement, seconds, seed);
}

/// The usual arrangements, one per line behind the name of the pairing.
void print_usual(runners::PairRunner& runner, const std::string& program) {
  const WorkloadPair programs = look_at(runner, program, program);
  for (const auto pairing :
       {runners::Pairing::process, runners::Pairing::alternate, runners::Pairing::duet}) {
    const auto usual = usual_arrangement(programs, pairing);
    if (const auto* arrangement = std::get_if<runners::Arrangement>(&usual)) {
      fmt::print("{} {}\n", runners::name_of(pairing), name_of(*arrangement));
    }
  }
}

/// The fields from `outcome` on: what the script puts behind the three that it knows itself.
std::string rest_of_line(const Row& row) {
  const auto shown = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.9g}", *value) : "-";
  };
  std::string note = row.note.empty() ? "-" : row.note;
  std::replace_if(
      note.begin(), note.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", row.outcome, shown(row.ratio), shown(row.total),
                     shown(row.seconds), row.count, note);
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
  const std::vector<double> control = numbers_in(words[1]);
  const std::vector<double> treatment = numbers_in(words[2]);
  fmt::print("{:.9g} {:.6g}\n", std::log(*analysis::median(treatment)) - std::log(*analysis::median(control)),
             rival::exact_rank_sum_p(control, treatment));
}

void print_table(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("cannot read {}", path));
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    const Journal::Fields all = fields_in(line);
    FieldReader fields(all);
    Row& row = rows.emplace_back();
    fields >> row.workload >> row.percent >> row.method >> row.outcome >> row.ratio >> row.total >>
        row.seconds >> row.count >> row.note;
    if (!fields.is_whole()) throw Error(fmt::format("{}:{}: this is no row", path, rows.size()));
  }
  fmt::print("{}", pairing_table(rows));
}

}  // namespace

int pairing_command(const Words& words) {
  static const std::map<std::string, std::size_t> sizes = {
      {"estimate", 7}, {"usual", 3}, {"costs", 4}, {"differ", 3}, {"table", 2}};
  const auto known = words.empty() ? sizes.end() : sizes.find(words[0]);
  if (known == sizes.end() || words.size() != known->second) {
    fmt::print(stderr, "{}", usage);
    return 2;
  }
  if (words[0] == "differ") {
    print_difference(words);
    return 0;
  }
  if (words[0] == "table") {
    print_table(words[1]);
    return 0;
  }
  const runners::MeasuringLock held(
      [](const std::string& holder) { fmt::print(stderr, "pairing: waiting for {}\n", holder); });
  runners::HostSettings settings;
  settings.scratch = words.back();
  runners::HostPairRunner runner(settings);
  if (words[0] == "estimate") {
    fmt::print("{}\n", rest_of_line(estimate(runner, words)));
  } else if (words[0] == "usual") {
    print_usual(runner, words[1]);
  } else {
    for (const Row& row :
         costs_of(runner, look_at(runner, words[1], words[1]), look_at(runner, words[2], words[2]))) {
      fmt::print("{}\t{}\t{}\t{}\n", row.workload, row.percent, row.method, rest_of_line(row));
    }
  }
  return 0;
}

}  // namespace tandem::evaluation
