#include "evaluation/evidence/recorded/trace_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

using runners::Launch;
using runners::Side;

struct Slice {
  unsigned long long launch = 0;
  unsigned long long number = 0;
  int swap = 0;
  double control = 0;
  double treatment = 0;
};

Slice slice_in(const std::string& line, const std::string& where) {
  Slice slice;
  char rest = 0;
  if (std::sscanf(line.c_str(), "%llu,%llu,%d,%lf,%lf%c", &slice.launch, &slice.number, &slice.swap,
                  &slice.control, &slice.treatment, &rest) != 5) {
    throw Error(fmt::format("{}: this is no slice of a trace", where));
  }
  return slice;
}

void add(std::vector<Sample>& samples, const Origin& origin, const Launch& launch) {
  if (const auto row = summarise(launch)) samples.push_back({origin, launch.index, *row});
}

}  // namespace

std::vector<Sample> samples_of_trace(const std::filesystem::path& file) {
  const std::filesystem::path stem = file.stem();
  Origin origin;
  origin.workload = stem.stem();
  origin.pairing = stem.extension().string();
  if (!origin.pairing.empty()) origin.pairing.erase(0, 1);
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) throw Error(fmt::format("{} cannot be read", file.string()));
  std::vector<Sample> samples;
  Launch launch;
  for (std::size_t number = 2; std::getline(stream, line); ++number) {
    const Slice slice = slice_in(line, fmt::format("{}:{}", file.string(), number));
    if (slice.launch != launch.index) {
      add(samples, origin, launch);
      launch = {};
      launch.index = slice.launch;
    }
    if (launch.control.empty()) launch.first_slot = slice.swap == 0 ? Side::control : Side::treatment;
    launch.control.push_back(slice.control);
    launch.treatment.push_back(slice.treatment);
    launch.first.push_back(slice.swap == 0 ? Side::control : Side::treatment);
  }
  add(samples, origin, launch);
  return samples;
}

}  // namespace tandem::evaluation
