#include "evaluation/evidence/cost/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

/// Reads the fields of a row in their order.
class Reader {
 public:
  explicit Reader(const Journal::Fields& row) : row_(row) {}

  Reader& operator>>(std::string& text) {
    text = next();
    return *this;
  }
  template <class Number>
  Reader& operator>>(Number& number) {
    const std::string& text = next();
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
      throw Error(fmt::format("\"{}\" in a line of \"{}\" of a journal is no number", text, row_.front()));
    }
    return *this;
  }
  void end() const {
    if (at_ != row_.size())
      throw Error(fmt::format("a line of \"{}\" of a journal is too long", row_.front()));
  }

 private:
  const std::string& next() {
    if (at_ == row_.size()) {
      throw Error(fmt::format("a line of \"{}\" of a journal is too short", row_.front()));
    }
    return row_[at_++];
  }

  const Journal::Fields& row_;
  std::size_t at_ = 1;
};

constexpr double kib_per_mib = 1024;

CommitCost commit_in(Reader row) {
  CommitCost cost;
  row >> cost.benchmarks >> cost.name >> cost.judged >> cost.launches >> cost.suspects >> cost.units >>
      cost.links >> cost.seconds >> cost.formula;
  row.end();
  return cost;
}

WalkCost walk_in(Reader row) {
  WalkCost cost;
  row >> cost.benchmarks >> cost.layouts >> cost.commits >> cost.links >> cost.build >> cost.link >>
      cost.start >> cost.wall >> cost.in_builds >> cost.in_links >> cost.in_launches >> cost.in_others >>
      cost.outside >> cost.looks;
  row.end();
  return cost;
}

IdleCost idle_in(Reader row) {
  IdleCost cost;
  double asked = 0;
  double own_nanoseconds = 0;
  double ticks = 0;
  double ticks_per_second = 1;
  row >> asked >> cost.seconds >> own_nanoseconds >> ticks >> ticks_per_second >> cost.resident_mib >>
      cost.peak_mib >> cost.proportional_mib >> cost.trials;
  row.end();
  cost.own = own_nanoseconds * 1e-9;
  cost.children = ticks / ticks_per_second;
  cost.resident_mib /= kib_per_mib;
  cost.peak_mib /= kib_per_mib;
  cost.proportional_mib /= kib_per_mib;
  return cost;
}

PollCost poll_in(Reader row) {
  PollCost cost;
  row >> cost.commits >> cost.address >> cost.rounds >> cost.milliseconds >> cost.git_milliseconds;
  row.end();
  return cost;
}

}  // namespace

Costs costs_in(std::span<const Journal::Fields> rows) {
  Costs costs;
  for (const Journal::Fields& row : rows) {
    const std::string& kind = row.front();
    if (kind == "commit") {
      costs.commits.push_back(commit_in(Reader(row)));
    } else if (kind == "walk") {
      costs.walks.push_back(walk_in(Reader(row)));
    } else if (kind == "idle") {
      costs.idle = idle_in(Reader(row));
    } else if (kind == "poll") {
      const PollCost poll = poll_in(Reader(row));
      std::erase_if(costs.polls, [&](const PollCost& one) {
        return one.commits == poll.commits && one.address == poll.address;
      });
      costs.polls.push_back(poll);
    } else {
      throw Error(fmt::format("a line of a journal of costs begins with \"{}\"", kind));
    }
  }
  return costs;
}

}  // namespace tandem::evaluation
