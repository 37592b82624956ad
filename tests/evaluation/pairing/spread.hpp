#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "evaluation/pairing/rows.hpp"

namespace tandem::evaluation {

[[nodiscard]] double mean(const std::vector<double>& values);
[[nodiscard]] double deviation(const std::vector<double>& values);  ///< of at least two values

/// What several estimates of one method say about one pair of programs, all as ln(treatment / control).
struct Spread {
  std::vector<double> ratios;
  std::vector<double> totals;
  double seconds = 0;    ///< of one estimate, on average
  bool refused = false;  ///< the method cannot measure this workload

  [[nodiscard]] bool known() const { return ratios.size() > 1; }
  [[nodiscard]] double robust() const;
  [[nodiscard]] double plain() const { return deviation(ratios); }
};

/// The rows, asked for by workload, per cent and method. They must outlive this.
class Rows {
 public:
  explicit Rows(std::span<const Row> rows) : rows_(rows) {}

  [[nodiscard]] std::vector<std::string> workloads() const;  ///< in the order of their first rows
  [[nodiscard]] std::vector<const Row*> of(const std::string& workload, int percent,
                                           const std::string& method) const;
  /// Null if there is none.
  [[nodiscard]] const Row* first(const std::string& workload, int percent, const std::string& method) const;
  [[nodiscard]] Spread spread(const std::string& workload, int percent, const std::string& method) const;
  [[nodiscard]] int planted(const std::string& workload) const;  ///< per cent of extra work; 0: none
  [[nodiscard]] std::size_t failed() const;

 private:
  std::span<const Row> rows_;
};

}  // namespace tandem::evaluation
