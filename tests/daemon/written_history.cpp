#include "daemon/written_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "daemon/records/life.hpp"
#include "daemon/walk/control.hpp"

namespace tandem::tests {

using namespace daemon;

namespace {

constexpr double margin = 0.01;
constexpr std::int64_t monday = 1'704'672'000;  // Monday 2024-01-08 00:00:00 UTC
constexpr std::int64_t week = 7 * 86'400;
const WatchKey key = {"pebble", "linux"};

struct Written {
  builders::Commit commit;
  builders::CommitFacts facts;
  std::map<std::string, double> costs;
  std::map<std::string, double> mistaken;
  bool broken = false;
  bool skipped = false;
  bool side = false;
};

class Walk {
 public:
  std::string run(const std::string& script) {
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first;
      if (!(words >> first)) continue;
      if (first.starts_with("c") && first.size() <= 3) {
        add(first, words);
        continue;
      }
      examine_new();
      act(first, words);
    }
    examine_new();
    return told();
  }

 private:
  /// Long enough to be named by a message.
  static std::string id_of(const std::string& name) { return name + std::string(40 - name.size(), 'f'); }
  static std::string name_of_id(const std::string& id) { return id.substr(0, id.find('f')); }

  void add(const std::string& name, std::istringstream& words) {
    Written one;
    one.commit.id = id_of(name);
    one.commit.subject = "Subject of " + name;
    one.facts.patch_id = name;
    for (std::string word; words >> word;) {
      const auto equals = word.find('=');
      const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
      if (word.starts_with("w")) {
        one.commit.committer_time = monday + std::stoi(word.substr(1)) * week + 60 * ++minutes_;
      } else if (word == "broken") {
        one.broken = true;
      } else if (word == "skipped") {
        one.skipped = true;
      } else if (word == "side") {
        one.side = true;
      } else if (word.starts_with("reverts=")) {
        one.facts.reverts = {id_of(value)};
      } else if (word.starts_with("undoes=")) {
        one.facts.reverse_patch_id = value;
      } else if (word.starts_with("same=")) {
        one.facts.patch_id = value;
      } else if (equals == 1) {
        const std::string benchmark = word.substr(0, 1);
        benchmarks_.insert(benchmark);
        one.costs[benchmark] = std::stod(value);
        const auto slash = value.find('/');
        if (slash != std::string::npos) one.mistaken[benchmark] = std::stod(value.substr(slash + 1));
      } else {
        throw std::runtime_error("cannot read " + word);
      }
    }
    branch_.push_back(one);
  }

  void act(const std::string& verb, std::istringstream& words) {
    std::string commit;
    words >> commit;
    if (verb == "rewrite") {
      const auto last = std::find_if(branch_.begin(), branch_.end(),
                                     [&](const Written& one) { return one.commit.id == id_of(commit); });
      branch_.erase(last + 1, branch_.end());
      rewritten_ = true;
      return;
    }
    std::string benchmark;
    words >> benchmark;
    Record& record = record_of(commit, benchmark);
    if (verb == "retest") {
      retest(record);
      return;
    }
    const Wish wish = verb == "accept"        ? Wish::accept
                      : verb == "false_alarm" ? Wish::call_false_alarm
                      : verb == "reopen"      ? Wish::reopen
                                              : Wish::acknowledge;
    record = with_event(record, wished(record, wish, "ada", "a reason", ++clock_));
  }

  Record& record_of(const std::string& commit, const std::string& benchmark) {
    for (Record& record : records_) {
      if (record.culprit.id == id_of(commit) && record.benchmark == benchmark) return record;
    }
    throw std::runtime_error("there is no record of " + commit);
  }

  /// The newest commit against the one before the culprit.
  void retest(Record& record) {
    const auto culprit = line_.position(record.culprit.id);
    const double ratio =
        branch_.back().costs.at(record.benchmark) / branch_.at(*culprit - 1).costs.at(record.benchmark);
    const analysis::Outcome outcome = ratio > 1 + margin         ? analysis::Outcome::slower
                                      : ratio < 1 / (1 + margin) ? analysis::Outcome::faster
                                                                 : analysis::Outcome::unchanged;
    const std::string& newest = branch_.back().commit.id;
    record.retests.push_back({++clock_, {}, newest, outcome, {ratio, ratio, ratio, 0.95}});
    if (const auto event = after_retests(record, ++clock_)) record = with_event(record, *event);
  }

  void examine_new() {
    std::vector<builders::Commit> commits;
    for (const Written& one : branch_) commits.push_back(one.commit);
    line_ = make_line(commits, monday + 100 * week);
    line_.is_ancestor = [this](std::size_t one, std::size_t) { return !branch_[one].side; };
    if (rewritten_) carry_over();
    rewritten_ = false;
    for (std::size_t at = 0; at < branch_.size(); ++at) {
      if (branch_[at].skipped || !examined_.insert(branch_[at].commit.id).second) continue;
      for (const std::string& benchmark : benchmarks_) {
        if (!branch_[at].broken && branch_[at].costs.contains(benchmark)) judge(at, benchmark);
      }
    }
  }

  void carry_over() {
    const RewrittenBranch branch = {
        [&](const std::string& commit) { return line_.position(commit).has_value(); },
        [&](const std::string& patch) -> std::optional<builders::Commit> {
          for (const Written& one : branch_) {
            if (one.facts.patch_id == patch) return one.commit;
          }
          return std::nullopt;
        }};
    for (int twice = 0; twice < 2; ++twice) {  // as after a crash
      for (const Record& record : carried_over(records_, branch, ++clock_)) save(record);
    }
  }

  void save(const Record& record) {
    const auto known = std::find_if(records_.begin(), records_.end(),
                                    [&](const Record& one) { return one.id == record.id; });
    if (known == records_.end()) {
      records_.push_back(record);
    } else {
      *known = record;
    }
  }

  [[nodiscard]] std::vector<Record> records_of(const std::string& benchmark) const {
    std::vector<Record> found = records_;
    std::erase_if(found, [&](const Record& one) { return one.benchmark != benchmark; });
    return found;
  }

  void judge(std::size_t at, const std::string& benchmark) {
    const Written& treatment = branch_[at];
    ControlQuestion question;
    question.treatment = at;
    question.usable = [&](std::size_t one) {
      return judged_.contains({branch_[one].commit.id, benchmark}) && line_.leads_to(one, at);
    };
    question.level = level_before(line_, at, records_of(benchmark));
    const auto control = control_by(config::ControlRule::week, line_, question);
    walked_[benchmark] += fmt::format(" {}<{}", name_of_id(treatment.commit.id),
                                      control ? name_of_id(branch_[*control].commit.id) : "");
    const auto mistaken = treatment.mistaken.find(benchmark);
    const double seen =
        mistaken == treatment.mistaken.end() ? treatment.costs.at(benchmark) : mistaken->second;
    if (control) {
      const double effect = std::log(seen / branch_[*control].costs.at(benchmark));
      if (std::abs(effect) > std::log1p(margin)) {
        settle(at, *control, std::max(*control, *control_by(config::ControlRule::parent, line_, question)),
               benchmark, seen);
      }
    }
    judged_.insert({treatment.commit.id, benchmark});
  }

  /// As a settlement does: near, then far, with the culprit among what was stepped over.
  void settle(std::size_t at, std::size_t control, std::size_t parent, const std::string& benchmark,
              double seen) {
    const double bar = std::log1p(margin / 2);
    const auto cost = [&](std::size_t one) { return one == at ? seen : branch_[one].costs.at(benchmark); };
    const auto effect = [&](std::size_t one, std::size_t other) { return std::log(cost(other) / cost(one)); };
    const double sign = effect(control, at) > 0 ? 1 : -1;
    Record record;
    std::size_t culprit = at;
    double size = effect(parent, at);
    if (sign * size >= bar) {
      record.kind = sign > 0 ? RecordKind::regression : RecordKind::improvement;
      for (std::size_t one = at; one > parent + 1; --one) {
        if (!branch_[one - 1].skipped || branch_[one - 1].broken) continue;
        if (sign * effect(parent, one - 1) >= bar) culprit = one - 1;
      }
    } else {
      size = effect(control, at);
      record.kind = RecordKind::accumulated;
    }
    const bool slower = sign > 0;
    record.state = slower && record.kind != RecordKind::improvement ? RecordState::open : RecordState::noted;
    record.key = key;
    record.benchmark = benchmark;
    record.margin = margin;
    record.control = branch_[control].commit;
    record.treatment = branch_[at].commit;
    record.culprit = branch_[culprit].commit;
    record.culprit_patch = branch_[culprit].facts.patch_id;
    const double ratio = std::exp(size);
    record.ratio = {ratio, ratio * 0.999, ratio * 1.001, 0.95};
    record.id = record_id(key, benchmark, record.metric.name, record.culprit.id);
    record.life = {{record.state, ++clock_, "tandem", "confirmed", record.culprit.id}};
    const bool repeated =
        std::any_of(records_.begin(), records_.end(), [&](const Record& one) { return one.id == record.id; });
    if (!repeated) records_.push_back(record);
    if (repeated || record.kind != RecordKind::improvement) return;
    std::vector<Record> alive = records_of(benchmark);
    std::erase_if(alive, [](const Record& one) { return !is_alive(one.state); });
    if (const auto ended = ended_by(alive, record, branch_[culprit].facts)) {
      const Record& regression = alive[ended->which];
      const auto before = line_.position(regression.culprit.id).value() - 1;
      FixTrial fix;
      fix.commit = fix.treatment = record.culprit.id;
      fix.at = ++clock_;
      const double left = std::exp(effect(before, culprit));
      fix.ratio = {left, left * 0.999, left * 1.001, 0.95};
      fix.outcome = left >= 1 + margin / 2         ? FixOutcome::left
                    : left <= 1 / (1 + margin / 2) ? FixOutcome::faster
                                                   : FixOutcome::gone;
      const auto position = [&](const std::string& commit) { return line_.position(commit); };
      if (fix.outcome == FixOutcome::left &&
          is_hidden_by_another(regression, fix.commit, records_of(benchmark), position)) {
        fix.outcome = FixOutcome::hidden;
      }
      save(after_fix(regression, fix, *ended));
    }
  }

  [[nodiscard]] std::string told() const {
    std::string text;
    for (const auto& [benchmark, controls] : walked_) {
      const auto level = level_before(line_, branch_.size(), records_of(benchmark));
      text += fmt::format("{}:{}; level {}\n", benchmark, controls,
                          level ? name_of_id(branch_[*level].commit.id) : "none");
    }
    for (const Record& record : records_) {
      text += fmt::format("{} {} {} {:+.1f} %: {}", name_of(record.kind), record.benchmark,
                          name_of_id(record.culprit.id), 100 * (record.ratio.estimate - 1),
                          name_of(record.state));
      const bool by_commit = record.state == RecordState::fixed || record.state == RecordState::partly_fixed;
      if (by_commit) text += " by " + name_of_id(record.life.back().commit);
      if (record.remaining) text += fmt::format(", {:+.1f} % left", 100 * (*record.remaining - 1));
      text += "\n";
    }
    return text;
  }

  std::vector<Written> branch_;
  Line line_;
  bool rewritten_ = false;
  std::set<std::string> benchmarks_;
  std::set<std::string> examined_;
  std::set<std::pair<std::string, std::string>> judged_;
  std::map<std::string, std::string> walked_;
  std::vector<Record> records_;
  std::int64_t clock_ = monday;
  int minutes_ = 0;
};

}  // namespace

std::string walk_written(const std::string& script) {
  return Walk().run(script);
}

}  // namespace tandem::tests
