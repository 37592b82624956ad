#include "daemon/report/sample_record.hpp"

#include <limits>

namespace tandem::tests {

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
  record.isolation = {runners::IsolationFacts::Kind::sandbox, true};
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
  record.layout = {daemon::LayoutFacts::Resolution::resolved, "four seeds"};
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

Record sample_partly_fixed() {
  Record record = sample_regression();
  record.state = RecordState::partly_fixed;
  record.life.push_back({RecordState::acknowledged, monday + 2 * 86'400, "ada", "looking into it", ""});
  record.life.push_back({RecordState::partly_fixed, monday + 5 * 86'400, "tandem",
                         "a confirmed faster step that undoes a part of it", sample_commit('7', "").id});
  record.protocol = runners::Protocol::google_benchmark;
  record.margin = 0.016;
  record.margin_why = "twice the layout spread of 0.80 %";
  record.culprit_patch = std::string(40, 'e');
  record.search = {31, 22, {sample_commit('3', "").id}};
  record.remaining = 1.0213;
  record.fix = daemon::FixTrial{
      record.life.back().commit,
      record.confirmation.control,
      record.life.back().commit,
      daemon::FixOutcome::left,
      {1.0213, 1.019, 1.0235, 0.95},
      record.life.back().at,
      {},
      daemon::FixBasis::named,
      2,
      {{0.01, 0.0061, 0.0072, 66}, {analysis::LaunchStatistics{0.1 / 3, -2.5e-05}, std::nullopt}}};
  record.q_value = 2.25e-05;
  record.retests = {{monday + 8 * 86'400,
                     record.culprit.first_parent,
                     sample_commit('8', "").id,
                     analysis::Outcome::slower,
                     {1.02, 1.01, 1.03, 0.95}},
                    {monday + 15 * 86'400,
                     record.culprit.first_parent,
                     sample_commit('9', "").id,
                     analysis::Outcome::inconclusive,
                     {1.01, 0.0, std::numeric_limits<double>::infinity(), 1.0}}};
  return record;
}

Record sample_layout() {
  Record record = sample_not_reproduced();
  record.kind = RecordKind::layout;
  record.protocol = runners::Protocol::benchdnn;
  record.layout = {daemon::LayoutFacts::Resolution::resolved, "4 seeds"};
  record.sightings = {{sample_commit('5', "").id, 0.0213}, {sample_commit('6', "").id, -0.0004}};
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
  record.layout = {daemon::LayoutFacts::Resolution::resolved, text};
  record.reproduce = {"tandem", "````\n# still the command", "$(reboot)"};
  return record;
}

}  // namespace tandem::tests
