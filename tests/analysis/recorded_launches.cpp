#include "tests/analysis/recorded_launches.hpp"

#include <cstdio>
#include <fstream>

#include "support/paths.hpp"

namespace tandem::analysis {

using runners::Launch;
using runners::Side;

std::vector<Launch> recorded(const std::string& name) {
  std::ifstream file(std::string(tests::paths::source) + "/tests/analysis/data/" + name + ".csv");
  std::vector<Launch> launches;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    unsigned launch = 0, slice = 0, swap = 0;
    double control = 0, treatment = 0;
    if (std::sscanf(line.c_str(), "%u,%u,%u,%lf,%lf", &launch, &slice, &swap, &control, &treatment) != 5)
      return {};
    if (launches.size() <= launch) launches.resize(launch + 1);
    launches[launch].control.push_back(control);
    launches[launch].treatment.push_back(treatment);
    launches[launch].first.push_back(swap == 0 ? Side::control : Side::treatment);
  }
  return launches;
}

}  // namespace tandem::analysis
