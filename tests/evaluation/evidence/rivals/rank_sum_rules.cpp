#include "evaluation/evidence/rivals/rank_sum_rules.hpp"

#include <cstddef>

#include "analysis/statistics.hpp"
#include "evaluation/evidence/rivals/rank_sum.hpp"

namespace tandem::evaluation::rival {
namespace {

constexpr double usual_alpha = 0.05;
constexpr std::size_t benchstat_exact = 50;
constexpr double asv_alpha = 0.002;
constexpr double asv_factor = 1.1;

double difference_of_medians(const Values& values) {
  return *analysis::median(values.treatment) - *analysis::median(values.control);
}

}  // namespace

Call google_benchmark(const Values& values) {
  if (approximate_rank_sum_p(values.control, values.treatment) >= usual_alpha) return Call::none;
  return call_of(difference_of_medians(values));
}

Call benchstat(const Values& values) {
  const bool few = values.control.size() <= benchstat_exact && values.treatment.size() <= benchstat_exact;
  const auto p = few ? exact_rank_sum_p : approximate_rank_sum_p;
  if (p(values.control, values.treatment) >= usual_alpha) return Call::none;
  return call_of(difference_of_medians(values));
}

Call asv(const Values& values) {
  const double control = analysis::median(values.control).value_or(0);
  const double treatment = analysis::median(values.treatment).value_or(0);
  const bool far = treatment > control * asv_factor || control > treatment * asv_factor;
  if (!far || exact_rank_sum_p(values.control, values.treatment) >= asv_alpha) return Call::none;
  return call_of(treatment - control);
}

}  // namespace tandem::evaluation::rival
