#include "daemon/report/sample_record.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace tandem::tests {

using daemon::LifeEvent;
using daemon::Record;
using daemon::RecordKind;
using daemon::RecordState;

namespace {

constexpr std::int64_t monday = 1'704'705'120;  // 2024-01-08 09:12 UTC

analysis::Verdict sample_screen() {
  analysis::Verdict screen;
  screen.outcome = analysis::Outcome::slower;
  screen.ratio = {1.0832, 1.0741, 1.0925, 0.95};
  screen.margin = 0.01;
  screen.sigma = 0.0062;
  screen.minimum_detectable_effect = 0.0134;
  screen.launches = 14;
  screen.failed_launches = 1;
  screen.median = {134.5, 0.01, 0.02, 3.5};
  screen.total = {99.25, 0.03, 0.04, 2.5};
  screen.median_ratio = {1.0832, 1.0741, 1.0925, 0.95};
  screen.total_ratio = {1.0799, 1.0701, 1.0911, 0.9375};
  screen.statistics_disagree = true;
  return screen;
}

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

}  // namespace

builders::Commit sample_commit(char digit, const std::string& subject) {
  builders::Commit commit;
  commit.id = std::string(8, digit) + std::string(32, '0');
  commit.first_parent = std::string(8, static_cast<char>(digit - 1)) + std::string(32, '0');
  commit.tree = std::string(40, digit);
  commit.subject = subject;
  commit.author_name = "Ada Example";
  commit.author_email = "ada@example.org";
  commit.author_time = monday - 60;
  commit.committer_time = monday + 86'400 * (digit - '4');
  return commit;
}

Record sample_regression() {
  Record record;
  record.key = {"pebble", "linux"};
  record.url = "https://example.org/pebble.git";
  record.benchmark = "softmax/1000";
  record.control = sample_commit('2', "Split the tests");
  record.treatment = sample_commit('4', "Keep rows of softmax in vectors");
  record.culprit = record.treatment;
  record.id = daemon::record_id(record.key, record.benchmark, record.metric.name, record.culprit.id);
  record.incident = "44444444";
  record.life = {{RecordState::open, monday + 3600, "tandem", "confirmed", record.culprit.id}};
  record.margin = 0.01;
  record.culprit_probability = 0.995;
  record.co_suspects = {sample_commit('3', "").id};
  record.ratio = {1.0810, 1.0752, 1.0868, 0.95};
  record.screen = sample_screen();
  record.confirmation.control = record.culprit.first_parent;
  record.confirmation.treatment = record.culprit.id;
  record.confirmation.result = {analysis::ConfirmationOutcome::confirmed, record.ratio, 1.52587890625e-05, 16,
                                0};
  record.confirmation.minimum_effect = 0.005;
  record.confirmation.units = {0.077, 0.0781, -0.0, 1e-300, 0.1 + 0.2};
  record.confirmation.seconds = 41.25;
  record.host.kernel = "6.1.0-example";
  record.host.cpu_model = "Example CPU @ 2.50GHz";
  record.host.governor = "performance";
  record.host.turbo = false;
  record.host.address_randomisation = true;
  record.host.load = 0.25;
  record.host.processors = 2;
  record.control_build = std::string(64, 'c');
  record.treatment_build = std::string(64, 'd');
  record.reproduce = {"tandem", "run", "--filter", "softmax/1000", "--note", "it's slower"};
  return record;
}

Record sample_fixed() {
  Record record = sample_regression();
  record.state = RecordState::fixed;
  record.life.push_back({RecordState::fixed, monday + 5 * 86'400, "tandem", "a confirmed faster step",
                         sample_commit('7', "").id});
  return record;
}

Record sample_improvement() {
  Record record = sample_regression();
  record.kind = RecordKind::improvement;
  record.state = RecordState::noted;
  record.life.front().state = RecordState::noted;
  record.benchmark = "conv2d_3x3";
  record.culprit = record.treatment = sample_commit('6', "Unroll the inner loop of conv2d");
  record.id = daemon::record_id(record.key, record.benchmark, record.metric.name, record.culprit.id);
  record.culprit_probability = 1;
  record.co_suspects.clear();
  record.ratio = record.confirmation.result.ratio = {0.9412, 0.9388, 0.9437, 0.95};
  record.screen.outcome = analysis::Outcome::faster;
  record.screen.ratio = {0.9431, 0.0, std::numeric_limits<double>::infinity(), 1.0};
  record.screen.decided_by_total = true;
  // Its parent does not build.
  record.confirmation.control = sample_commit('4', "").id;
  record.confirmation.treatment = record.culprit.id;
  record.life.front().commit = record.culprit.id;
  record.reproduce = {"tandem", "compare", "/cache/a/pebble", "/cache/b/pebble"};
  return record;
}

Record sample_accumulated() {
  Record record = sample_regression();
  record.kind = RecordKind::accumulated;
  record.state = RecordState::noted;
  record.life.front().state = RecordState::noted;
  record.co_suspects.clear();
  record.culprit_probability = 1;
  record.ratio = record.confirmation.result.ratio = {1.0062, 1.0031, 1.0093, 0.95};
  record.screen.ratio = record.screen.median_ratio = {1.0071, 1.0012, 1.0125, 0.95};
  record.confirmation.control = record.control.id;
  record.layout = "four seeds";
  return record;
}

Record sample_not_reproduced() {
  Record record = sample_regression();
  record.kind = RecordKind::not_reproduced;
  record.state = RecordState::noted;
  record.life.front() = {RecordState::noted, monday + 7200, "tandem", "", ""};
  record.co_suspects.clear();
  record.culprit_probability = 1;
  record.ratio = {1.0004, 0.9981, 1.0027, 0.95};
  record.confirmation.result = {analysis::ConfirmationOutcome::not_reproduced, record.ratio, 0.41, 16, 0};
  record.host = {};
  record.host.kernel = "6.1.0-example";
  record.host.processors = 2;
  record.reproduce.clear();
  return record;
}

Record sample_throughput() {
  Record record = sample_fixed();
  record.metric = {"images_per_second", "1/s", specs::Direction::higher_is_better};
  record.protocol = runners::Protocol::observer;
  // The confirmation speaks of costs, the record of the metric.
  record.ratio = {0.88, 0.87, 0.89, 0.95};
  record.confirmation.result.ratio = {1 / 0.88, 1 / 0.89, 1 / 0.87, 0.95};
  record.screen.ratio = record.screen.median_ratio = {0.87, 0.85, 0.88, 0.95};
  return record;
}

Record sample_hostile() {
  Record record = sample_regression();
  const std::string text = "a|b\n# c ```*d*``` [e](http://f) <script> &amp; _g_ ~h~ \\ $i$ \x1b[2J";
  record.benchmark = record.key.watch = record.url = record.culprit.subject = record.culprit.author_name =
      text;
  record.life.front().reason = record.life.front().by = text;
  record.host.cpu_model = text;
  record.layout = text;
  record.reproduce = {"tandem", "````\n# still the command", "$(reboot)"};
  return record;
}

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
  expect_same(found.ratio, wanted.ratio);
  expect_same(found.screen, wanted.screen);
  expect_same(found.confirmation, wanted.confirmation);
  EXPECT_EQ(found.layout, wanted.layout);
  expect_same(found.host, wanted.host);
  EXPECT_EQ(found.control_build, wanted.control_build);
  EXPECT_EQ(found.treatment_build, wanted.treatment_build);
  EXPECT_EQ(found.reproduce, wanted.reproduce);
}

}  // namespace tandem::tests
