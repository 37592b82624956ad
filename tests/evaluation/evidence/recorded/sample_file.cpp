#include "evaluation/evidence/recorded/sample_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "evaluation/evidence/results/fields.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

std::optional<Sample> sample_in(std::string_view line) {
  Sample sample;
  sample.origin.workload = next_field(line);
  sample.origin.pairing = next_field(line);
  sample.origin.layouts = next_field(line);
  const std::string_view percent = next_field(line);
  const std::string_view decision = next_field(line);
  const auto launch = row_in(line);
  if (!launch || !read_number(percent, sample.origin.percent) || !read_number(decision, sample.decision))
    return std::nullopt;
  sample.launch = *launch;
  return sample;
}

}  // namespace

std::vector<Sample> read_samples(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<Sample> samples;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (stream.eof()) break;  // it has no end: its writer was interrupted
    auto sample = sample_in(line);
    if (!sample) throw Error(fmt::format("{}:{}: this is no recorded launch", file.string(), number));
    samples.push_back(std::move(*sample));
  }
  return samples;
}

std::string line_of(const Sample& sample) {
  const Origin& origin = sample.origin;
  return fmt::format("{}\t{}\t{}\t{:g}\t{}\t{}", origin.workload, origin.pairing, origin.layouts,
                     origin.percent, sample.decision, line_of(sample.launch));
}

std::map<Origin, std::vector<LaunchRow>> by_origin(std::span<const Sample> samples) {
  std::map<Origin, std::vector<LaunchRow>> launches;
  for (const Sample& sample : samples) launches[sample.origin].push_back(sample.launch);
  return launches;
}

}  // namespace tandem::evaluation
