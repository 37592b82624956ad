#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "daemon/report/golden.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/sample_record.hpp"
#include "daemon/walk/late_commits.hpp"

namespace tandem::daemon::report {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

TEST(RecordMarkdown, StaysAsItIs) {
  tests::expect_golden(record_markdown(tests::sample_regression()), "regression.md");
  tests::expect_golden(record_markdown(tests::sample_fixed()), "fixed.md");
  tests::expect_golden(record_markdown(tests::sample_improvement()), "improvement.md");
  tests::expect_golden(record_markdown(tests::sample_accumulated()), "accumulated.md");
  tests::expect_golden(record_markdown(tests::sample_not_reproduced()), "not_reproduced.md");
  tests::expect_golden(record_markdown(tests::sample_partly_fixed()), "partly_fixed.md");
  tests::expect_golden(record_markdown(tests::sample_layout()), "layout.md");
  tests::expect_golden(record_markdown(tests::sample_throughput()), "throughput.md");
  tests::expect_golden(record_markdown(tests::sample_hostile()), "hostile.md");
}

TEST(RecordMarkdown, SaysInItsHeadingWhatHappened) {
  EXPECT_EQ(first_line(record_markdown(tests::sample_regression())),
            "# softmax/1000 is 8.1 % slower since 44444444");
  EXPECT_EQ(first_line(record_markdown(tests::sample_fixed())),
            "# softmax/1000 was 8.1 % slower since 44444444, fixed by 77777777");
  EXPECT_EQ(first_line(record_markdown(tests::sample_improvement())),
            "# conv2d_3x3 is 5.9 % faster since 66666666");
  EXPECT_EQ(first_line(record_markdown(tests::sample_accumulated())),
            "# softmax/1000 became 0.62 % slower between 22222222 and 44444444, by no single commit");
  EXPECT_EQ(first_line(record_markdown(tests::sample_not_reproduced())),
            "# softmax/1000 seemed 8.3 % slower at 44444444; not reproduced");
  EXPECT_EQ(first_line(record_markdown(tests::sample_throughput())),
            "# softmax/1000 had 12.0 % lower images_per_second since 44444444, fixed by 77777777");
}

TEST(RecordMarkdown, SaysInItsHeadingHowItWentOn) {
  const auto heading = [](RecordState state) {
    Record record = tests::sample_regression();
    record.state = state;
    return first_line(record_markdown(record));
  };
  EXPECT_EQ(heading(RecordState::acknowledged), "# softmax/1000 is 8.1 % slower since 44444444");
  EXPECT_EQ(heading(RecordState::recovered), "# softmax/1000 was 8.1 % slower since 44444444, now recovered");
  EXPECT_EQ(heading(RecordState::superseded), "# softmax/1000 was 8.1 % slower since 44444444, superseded");
  EXPECT_EQ(heading(RecordState::accepted),
            "# softmax/1000 is 8.1 % slower since 44444444, dismissed as accepted");
  EXPECT_EQ(heading(RecordState::false_alarm),
            "# softmax/1000 seemed 8.1 % slower since 44444444, dismissed as false alarm");
  EXPECT_EQ(first_line(record_markdown(tests::sample_partly_fixed())),
            "# softmax/1000 is 8.1 % slower since 44444444, partly fixed, +2.1 % left");
  Record postponed = tests::sample_not_reproduced();
  postponed.kind = RecordKind::postponed;
  EXPECT_EQ(first_line(record_markdown(postponed)),
            "# softmax/1000 seems 8.3 % slower at 44444444; not confirmed yet");
}

TEST(RecordMarkdown, SaysWhetherWhatCouldNotBeConfirmedIsTriedAgain) {
  Record unconfirmed = tests::sample_not_reproduced();
  unconfirmed.kind = RecordKind::unconfirmed;
  unconfirmed.confirmation.failure = "lld was killed by signal 9 (Killed)";
  EXPECT_NE(record_markdown(unconfirmed).find("the second look failed and is tried again."),
            std::string::npos);
  unconfirmed.confirmation.tries = most_tries;
  EXPECT_NE(record_markdown(unconfirmed).find("the second look failed and is not tried again by itself."),
            std::string::npos);
}

TEST(RecordMarkdown, ShowsTheStateOfALayoutRecordThatHasOne) {
  Record record = tests::sample_layout();
  const auto heading = [&](RecordState state) {
    record.state = state;
    const std::string page = record_markdown(record);
    return page.substr(0, page.find('\n'));
  };
  EXPECT_TRUE(heading(RecordState::noted).ends_with("in its own layout only"));
  EXPECT_TRUE(heading(RecordState::open).ends_with("in its own layout only, open"));
  EXPECT_TRUE(heading(RecordState::fixed).ends_with("in its own layout only, now fixed"));
  EXPECT_TRUE(heading(RecordState::accepted).ends_with("in its own layout only, dismissed as accepted"))
      << heading(RecordState::accepted);
}

TEST(RecordMarkdown, ShowsSightingsAsWhatBecameOfTheMetric) {
  Record record = tests::sample_layout();
  record.sightings = {{"abcdef0123456789", std::log(1.25)}};
  EXPECT_NE(record_markdown(record).find("| abcdef01 | +25.0 % |"), std::string::npos);
  record.metric = {"throughput", "B/s", specs::Direction::higher_is_better};
  EXPECT_NE(record_markdown(record).find("| abcdef01 | -20.0 % |"), std::string::npos)
      << record_markdown(record);
}

TEST(RecordMarkdown, SaysWhatAFasterCommitLeft) {
  Record record = tests::sample_partly_fixed();
  const auto says = [&](const std::string& sentence) {
    const std::string page = record_markdown(record);
    EXPECT_NE(page.find(sentence), std::string::npos) << page;
  };
  record.fix->ratio = {0.6, 0.59, 0.61, 0.95};
  record.fix->outcome = FixOutcome::faster;
  record.state = RecordState::open;
  says("77777777 made it faster, by a change of another size: 77777777 side by side with 33333333");
  says("Whether it undid this one is not known.");
  record.state = RecordState::fixed;
  says("77777777 ended it");
  says("the commit before the culprit, is even 40.0 % faster");
  record.state = RecordState::open;
  record.fix->outcome = FixOutcome::not_measured;
  record.fix->why = "66 launches did not decide it";
  says("what it left could not be measured yet: 66 launches did not decide it.");
  record.fix->tries = 6;
  says("what it left could not be measured in 6 tries: 66 launches did not decide it.");
}

TEST(RecordMarkdown, SaysFixedEvenWhenNoCommitIsNamed) {
  Record record = tests::sample_fixed();
  record.life.back().commit.clear();
  EXPECT_EQ(first_line(record_markdown(record)), "# softmax/1000 was 8.1 % slower since 44444444, now fixed");
  record.life.clear();
  EXPECT_EQ(first_line(record_markdown(record)), "# softmax/1000 was 8.1 % slower since 44444444, now fixed");
}

/// Lines outside of fences that begin like this; what foreign text could add to.
std::size_t lines_beginning(const std::string& page, const std::string& with) {
  std::istringstream lines(page);
  std::size_t count = 0;
  bool fenced = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("`````")) fenced = !fenced;
    if (!fenced && line.starts_with(with)) ++count;
  }
  EXPECT_FALSE(fenced);
  return count;
}

TEST(RecordMarkdown, LetsForeignTextAddNeitherHeadingsNorTableCellsNorMarkup) {
  const std::string page = record_markdown(tests::sample_hostile());
  EXPECT_EQ(lines_beginning(page, "# "), 1u);
  EXPECT_EQ(lines_beginning(page, "## "), 4u);
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| ")) continue;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    }
    EXPECT_EQ(bars, 3u) << line;
  }
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(page.find(" <script>"), std::string::npos);
  EXPECT_EQ(page.find(" &amp;"), std::string::npos);
  EXPECT_EQ(page.find(" [e]"), std::string::npos);
}

TEST(RecordMarkdown, SaysThatLaunchesAgreedInsteadOfAScatterOfZero) {
  Record record = tests::sample_regression();
  record.screen.sigma = 0;
  const std::string page = record_markdown(record);
  EXPECT_NE(page.find("; the launches agree.\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("scatters by"), std::string::npos);
}

TEST(RecordMarkdown, GivesAPageEvenForAnEmptyRecord) {
  const Record empty;
  const std::string page = record_markdown(empty);
  EXPECT_TRUE(page.starts_with("# "));
  EXPECT_NE(page.find("There is no confirmation"), std::string::npos);
  EXPECT_EQ(page.find("## Life"), std::string::npos);
  EXPECT_EQ(page.find("## Measure it again"), std::string::npos);
}

}  // namespace
}  // namespace tandem::daemon::report
