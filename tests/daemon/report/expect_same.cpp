#include <gtest/gtest.h>

#include <bit>

#include "daemon/report/sample_record.hpp"

namespace tandem::tests {

using daemon::LifeEvent;
using daemon::Record;

namespace {

void expect_bits(double found, double wanted) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(wanted))
      << found << " and " << wanted;
}

void expect_same(const analysis::Evidence& found, const analysis::Evidence& wanted) {
  expect_bits(found.slower, wanted.slower);
  expect_bits(found.faster, wanted.faster);
  expect_bits(found.not_slower, wanted.not_slower);
  expect_bits(found.not_faster, wanted.not_faster);
}

void expect_same(const analysis::ScreenHistory& found, const analysis::ScreenHistory& wanted) {
  expect_bits(found.settings.margin, wanted.settings.margin);
  expect_bits(found.settings.prior_sigma, wanted.settings.prior_sigma);
  EXPECT_EQ(found.settings.prior_sigma_total, wanted.settings.prior_sigma_total);
  EXPECT_EQ(found.settings.max_launches, wanted.settings.max_launches);
  ASSERT_EQ(found.launches.size(), wanted.launches.size());
  for (std::size_t i = 0; i < found.launches.size(); ++i) {
    ASSERT_EQ(found.launches[i].has_value(), wanted.launches[i].has_value());
    if (!found.launches[i]) continue;
    expect_bits(found.launches[i]->median, wanted.launches[i]->median);
    expect_bits(found.launches[i]->total, wanted.launches[i]->total);
  }
}

void expect_same(const builders::Commit& found, const builders::Commit& wanted) {
  EXPECT_EQ(found.id, wanted.id);
  EXPECT_EQ(found.first_parent, wanted.first_parent);
  EXPECT_EQ(found.tree, wanted.tree);
  EXPECT_EQ(found.subject, wanted.subject);
  EXPECT_EQ(found.author_name, wanted.author_name);
  EXPECT_EQ(found.author_email, wanted.author_email);
  EXPECT_EQ(found.author_time, wanted.author_time);
  EXPECT_EQ(found.committer_time, wanted.committer_time);
}

void expect_same(const daemon::ConfirmationRecord& found, const daemon::ConfirmationRecord& wanted) {
  EXPECT_EQ(found.control, wanted.control);
  EXPECT_EQ(found.treatment, wanted.treatment);
  EXPECT_EQ(found.result.outcome, wanted.result.outcome);
  tests::expect_same(found.result.ratio, wanted.result.ratio);
  expect_bits(found.result.p_value, wanted.result.p_value);
  EXPECT_EQ(found.result.units, wanted.result.units);
  EXPECT_EQ(found.result.next_look, wanted.result.next_look);
  expect_bits(found.minimum_effect, wanted.minimum_effect);
  ASSERT_EQ(found.units.size(), wanted.units.size());
  for (std::size_t i = 0; i < wanted.units.size(); ++i) expect_bits(found.units[i], wanted.units[i]);
  expect_bits(found.seconds, wanted.seconds);
  EXPECT_EQ(found.relinked, wanted.relinked);
  EXPECT_EQ(found.exact, wanted.exact);
}

void expect_same(const runners::MachineFacts& found, const runners::MachineFacts& wanted) {
  EXPECT_EQ(found.kernel, wanted.kernel);
  EXPECT_EQ(found.cpu_model, wanted.cpu_model);
  EXPECT_EQ(found.microcode, wanted.microcode);
  EXPECT_EQ(found.governor, wanted.governor);
  EXPECT_EQ(found.turbo, wanted.turbo);
  EXPECT_EQ(found.smt, wanted.smt);
  EXPECT_EQ(found.address_randomisation, wanted.address_randomisation);
  EXPECT_EQ(found.load, wanted.load);
  EXPECT_EQ(found.steal_share, wanted.steal_share);
  EXPECT_EQ(found.processors, wanted.processors);
}

void expect_same(const std::vector<LifeEvent>& found, const std::vector<LifeEvent>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].state, wanted[i].state);
    EXPECT_EQ(found[i].at, wanted[i].at);
    EXPECT_EQ(found[i].by, wanted[i].by);
    EXPECT_EQ(found[i].reason, wanted[i].reason);
    EXPECT_EQ(found[i].commit, wanted[i].commit);
  }
}

void expect_same(const std::vector<daemon::Retest>& found, const std::vector<daemon::Retest>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].at, wanted[i].at);
    EXPECT_EQ(found[i].control, wanted[i].control);
    EXPECT_EQ(found[i].treatment, wanted[i].treatment);
    EXPECT_EQ(found[i].outcome, wanted[i].outcome);
    tests::expect_same(found[i].ratio, wanted[i].ratio);
  }
}

void expect_same(const std::vector<daemon::Sighting>& found, const std::vector<daemon::Sighting>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(found[i].commit, wanted[i].commit);
    expect_bits(found[i].log_ratio, wanted[i].log_ratio);
  }
}

}  // namespace

void expect_same(const analysis::RatioInterval& found, const analysis::RatioInterval& wanted) {
  expect_bits(found.estimate, wanted.estimate);
  expect_bits(found.low, wanted.low);
  expect_bits(found.high, wanted.high);
  expect_bits(found.level, wanted.level);
}

void expect_same(const analysis::Verdict& found, const analysis::Verdict& wanted) {
  EXPECT_EQ(found.outcome, wanted.outcome);
  expect_same(found.ratio, wanted.ratio);
  expect_bits(found.margin, wanted.margin);
  expect_bits(found.sigma, wanted.sigma);
  expect_bits(found.minimum_detectable_effect, wanted.minimum_detectable_effect);
  EXPECT_EQ(found.launches, wanted.launches);
  EXPECT_EQ(found.failed_launches, wanted.failed_launches);
  expect_same(found.median, wanted.median);
  expect_same(found.total, wanted.total);
  expect_same(found.median_ratio, wanted.median_ratio);
  expect_same(found.total_ratio, wanted.total_ratio);
  EXPECT_EQ(found.decided_by_total, wanted.decided_by_total);
  EXPECT_EQ(found.statistics_disagree, wanted.statistics_disagree);
}

void expect_same(const Record& found, const Record& wanted) {
  EXPECT_EQ(found.id, wanted.id);
  EXPECT_EQ(found.incident, wanted.incident);
  EXPECT_EQ(found.kind, wanted.kind);
  EXPECT_EQ(found.state, wanted.state);
  expect_same(found.life, wanted.life);
  EXPECT_EQ(found.key, wanted.key);
  EXPECT_EQ(found.url, wanted.url);
  EXPECT_EQ(found.benchmark, wanted.benchmark);
  EXPECT_EQ(found.metric.name, wanted.metric.name);
  EXPECT_EQ(found.metric.unit, wanted.metric.unit);
  EXPECT_EQ(found.metric.direction, wanted.metric.direction);
  EXPECT_EQ(found.protocol, wanted.protocol);
  expect_bits(found.margin, wanted.margin);
  expect_same(found.control, wanted.control);
  expect_same(found.treatment, wanted.treatment);
  expect_same(found.culprit, wanted.culprit);
  expect_bits(found.culprit_probability, wanted.culprit_probability);
  EXPECT_EQ(found.co_suspects, wanted.co_suspects);
  EXPECT_EQ(found.culprit_patch, wanted.culprit_patch);
  EXPECT_EQ(found.margin_why, wanted.margin_why);
  EXPECT_EQ(found.search.commits, wanted.search.commits);
  EXPECT_EQ(found.search.measurements, wanted.search.measurements);
  EXPECT_EQ(found.search.broken, wanted.search.broken);
  expect_same(found.ratio, wanted.ratio);
  EXPECT_EQ(found.remaining, wanted.remaining);
  ASSERT_EQ(found.fix.has_value(), wanted.fix.has_value());
  if (found.fix) {
    EXPECT_EQ(found.fix->commit, wanted.fix->commit);
    EXPECT_EQ(found.fix->control, wanted.fix->control);
    EXPECT_EQ(found.fix->treatment, wanted.fix->treatment);
    EXPECT_EQ(found.fix->outcome, wanted.fix->outcome);
    EXPECT_EQ(found.fix->ratio.estimate, wanted.fix->ratio.estimate);
    EXPECT_EQ(found.fix->at, wanted.fix->at);
    EXPECT_EQ(found.fix->why, wanted.fix->why);
    EXPECT_EQ(found.fix->basis, wanted.fix->basis);
    EXPECT_EQ(found.fix->tries, wanted.fix->tries);
    expect_same(found.fix->screen, wanted.fix->screen);
  }
  expect_bits(found.q_value, wanted.q_value);
  expect_same(found.screen, wanted.screen);
  expect_same(found.confirmation, wanted.confirmation);
  expect_same(found.retests, wanted.retests);
  expect_same(found.sightings, wanted.sightings);
  EXPECT_EQ(found.layout.resolution, wanted.layout.resolution);
  EXPECT_EQ(found.layout.words, wanted.layout.words);
  expect_same(found.host, wanted.host);
  EXPECT_EQ(found.control_build, wanted.control_build);
  EXPECT_EQ(found.treatment_build, wanted.treatment_build);
  EXPECT_EQ(found.reproduce, wanted.reproduce);
}

}  // namespace tandem::tests
