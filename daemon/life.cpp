#include "daemon/life.hpp"

#include <fmt/format.h>

namespace tandem::daemon {
namespace {

/// As costs: the faster step undoes the slower one when the two intervals, one of them turned over, meet.
bool undoes(const Record& improvement, const Record& regression) {
  const auto cost = [](const Record& record) {
    const auto& ratio = record.ratio;
    return record.metric.direction == specs::Direction::lower_is_better
               ? ratio
               : analysis::RatioInterval{1 / ratio.estimate, 1 / ratio.high, 1 / ratio.low, ratio.level};
  };
  const auto slower = cost(regression);
  const auto faster = cost(improvement);
  const double slack = 1 + regression.margin;
  return 1 / faster.high <= slower.high * slack && 1 / faster.low >= slower.low / slack;
}

}  // namespace

std::optional<std::size_t> regression_ended_by(const std::vector<Record>& open, const Record& improvement) {
  std::optional<std::size_t> fitting;
  std::size_t fits = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string revert = fmt::format("Revert \"{}\"", open[i].culprit.subject);
    if (improvement.culprit.subject == revert) return i;
    if (!undoes(improvement, open[i])) continue;
    fitting = i;
    ++fits;
  }
  return fits == 1 ? fitting : std::nullopt;
}

Record fixed(Record regression, const builders::Commit& by, std::int64_t at) {
  regression.state = RecordState::fixed;
  regression.life.push_back(
      {RecordState::fixed, at, "tandem", "a confirmed faster step of the same size", by.id});
  return regression;
}

}  // namespace tandem::daemon
