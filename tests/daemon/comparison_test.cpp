#include "daemon/records/comparison.hpp"

#include <gtest/gtest.h>

namespace tandem::daemon {
namespace {

using analysis::Outcome;

struct Case {
  std::vector<Outcome> outcomes;
  int code;
};

class ExitCode : public testing::TestWithParam<Case> {};

TEST_P(ExitCode, NamesTheMostPressingOutcome) {
  Comparison comparison;
  for (const Outcome outcome : GetParam().outcomes) {
    Screened screened;
    screened.verdict.outcome = outcome;
    comparison.benchmarks.push_back(screened);
  }
  EXPECT_EQ(exit_code(comparison), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(Table, ExitCode,
                         testing::Values(Case{{}, 0}, Case{{Outcome::unchanged}, 0},
                                         Case{{Outcome::faster}, 0}, Case{{Outcome::identical}, 0},
                                         Case{{Outcome::slower}, 1}, Case{{Outcome::failed}, 4},
                                         Case{{Outcome::inconclusive}, 3},
                                         Case{{Outcome::faster, Outcome::slower, Outcome::unchanged}, 1},
                                         Case{{Outcome::failed, Outcome::slower}, 1},
                                         Case{{Outcome::inconclusive, Outcome::slower}, 1},
                                         Case{{Outcome::inconclusive, Outcome::failed}, 4},
                                         Case{{Outcome::unchanged, Outcome::inconclusive}, 3}));

}  // namespace
}  // namespace tandem::daemon
