#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "runners/pairing/further_metrics.hpp"
#include "runners/results/adapter.hpp"

namespace tandem::runners {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Float>
std::variant<std::vector<double>, std::string> read_raw(std::string_view bytes) {
  if (bytes.size() % sizeof(Float) != 0) {
    return fmt::format("has {} bytes, which is no multiple of the {} bytes of a number", bytes.size(),
                       sizeof(Float));
  }
  std::vector<double> numbers;
  numbers.reserve(bytes.size() / sizeof(Float));
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Float)) {
    Float number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    numbers.push_back(static_cast<double>(number));
  }
  return numbers;
}

std::variant<std::vector<double>, std::string> read_text(std::string_view text) {
  constexpr std::string_view between = " \t\r\n\f\v,;";
  std::vector<double> numbers;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (between.find(text[at]) != std::string_view::npos) {
      if (text[at++] == '\n') ++line;
      continue;
    }
    std::string_view word = text.substr(at, text.find_first_of(between, at) - at);
    at += word.size();
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    double number = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (result.ec == std::errc::result_out_of_range) {
      // Too small for a double is 0 here; too large is infinite.
      number = std::strtod(std::string(digits).c_str(), nullptr);
    } else if (result.ec != std::errc{}) {
      return fmt::format("has \"{}\" in line {} where a number belongs", shortened(word, 40), line);
    }
    if (result.ptr != digits.data() + digits.size())
      return fmt::format("has \"{}\" in line {} where a number belongs", shortened(word, 40), line);
    numbers.push_back(number);
  }
  return numbers;
}

/// Two infinities of one sign and two NaNs are alike; any other place without a finite difference is as wrong
/// as can be.
double difference(double golden, double found) {
  if (golden == found || (std::isnan(golden) && std::isnan(found))) return 0;
  const double apart = std::abs(golden - found);
  return std::isnan(apart) ? infinity : apart;
}

}  // namespace

std::variant<std::vector<double>, std::string> read_numbers(std::string_view bytes,
                                                            specs::Golden::Type type) {
  switch (type) {
    case specs::Golden::Type::float32:
      return read_raw<float>(bytes);
    case specs::Golden::Type::float64:
      return read_raw<double>(bytes);
    case specs::Golden::Type::text:
      break;
  }
  return read_text(bytes);
}

OutputError compare_output(std::span<const double> golden, std::span<const double> found,
                           const specs::Golden& tolerances) {
  OutputError worst;
  for (std::size_t i = 0; i < std::min(golden.size(), found.size()); ++i) {
    const double apart = difference(golden[i], found[i]);
    if (apart == 0) continue;
    const double size = std::abs(golden[i]);
    const double share = size > 0 && std::isfinite(size) ? apart / size : infinity;
    if (!tolerances.relative || share > *tolerances.relative)
      worst.absolute = std::max(worst.absolute, apart);
    if (!tolerances.absolute || apart > *tolerances.absolute)
      worst.relative = std::max(worst.relative, share);
  }
  return worst;
}

std::vector<NamedError> named(const OutputError& error, const specs::Golden& tolerances) {
  std::vector<NamedError> all;
  const auto add = [&](const char* name, double value, double limit) {
    specs::Metric metric{name, ""};
    metric.limit = limit;
    all.push_back({std::move(metric), value});
  };
  if (tolerances.absolute || !tolerances.relative)
    add("error", error.absolute, tolerances.absolute.value_or(0));
  if (tolerances.relative) add("relative_error", error.relative, *tolerances.relative);
  return all;
}

}  // namespace tandem::runners
