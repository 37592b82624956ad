#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace tandem::evaluation {

/// One measurement, as a line of evaluation/pairing.tsv with these fields in this order, separated by tabs. A
/// dash stands for no value.
struct Row {
  std::string workload;
  int percent = 0;  ///< more real work on the side of the treatment
  std::string method;
  std::string outcome;  ///< "ok", "refused" (the method cannot measure this workload) or "failed"
  std::optional<double>
      ratio;  ///< as ln(treatment / control), of the typical value; of `costs`, the value itself
  std::optional<double> total;    ///< as ln(treatment / control), of the time spent
  std::optional<double> seconds;  ///< of machine time
  std::size_t count = 0;          ///< of launches, processes or repetitions
  std::string note;               ///< the arrangement, why not, or a p-value
};

/// Throws Error on a line that is none.
[[nodiscard]] std::vector<Row> read_rows(std::istream& lines);

/// The fields from `outcome` on: what the script puts behind the three that it knows itself.
[[nodiscard]] std::string rest_of_line(const Row& row);

}  // namespace tandem::evaluation
