#include "tests/specs/example/example_history.hpp"

#include <stdlib.h>

#include <array>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "specs/foundation/error.hpp"
#include "support/paths.hpp"
#include "tests/specs/example/two_at_a_time.hpp"

namespace tandem::specs::example {

namespace fs = std::filesystem;

namespace {

const fs::path framework = fs::path(tests::paths::source) / "specs/frameworks/example";

/// The output of a command that must succeed.
std::string output_of(std::vector<std::string> words) {
  const auto finished = run(std::move(words));
  if (!finished.succeeded()) throw Error("a command " + runners::describe(finished) + ": " + finished.errors);
  return finished.output;
}

fs::path new_directory() {
  std::string name = (fs::temp_directory_path() / "tandem-example-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Error("cannot make a temporary directory");
  return name;
}

std::vector<Commit> read_commits(const fs::path& repository) {
  std::istringstream lines(output_of({"git", "-C", repository.string(), "log", "--first-parent", "--reverse",
                                      "--format=%H%n%P%n%ct%n%s", "main"}));
  std::vector<Commit> commits;
  Commit commit;
  std::string seconds;
  while (std::getline(lines, commit.id) && std::getline(lines, commit.parents) &&
         std::getline(lines, seconds) && std::getline(lines, commit.subject)) {
    commit.committed = std::chrono::sys_seconds{std::chrono::seconds{std::stoll(seconds)}};
    commits.push_back(commit);
  }
  return commits;
}

}  // namespace

runners::Finished run(std::vector<std::string> words, std::vector<std::string> more_environment) {
  runners::Command command;
  command.argv = std::move(words);
  command.argv.insert(command.argv.begin(), "/usr/bin/env");
  constexpr std::array<std::string_view, 4> left_out = {"CXX=", "CXXFLAGS=", "LDFLAGS=", "GIT_"};
  for (const auto& variable : runners::current_environment()) {
    bool wanted = true;
    for (const auto start : left_out) wanted = wanted && !variable.starts_with(start);
    if (wanted) command.environment.push_back(variable);
  }
  for (auto& variable : more_environment) command.environment.push_back(std::move(variable));
  return runners::run_command(command, {});
}

runners::Finished make_history(const fs::path& destination, std::vector<std::string> more_environment) {
  return run({(framework / "make_history.sh").string(), destination.string()}, std::move(more_environment));
}

runners::Finished build(const fs::path& tree, const fs::path& destination, const std::string& flags) {
  // How much one more pass costs depends on the compiler; the example is made for this one.
  std::vector<std::string> environment = {
      "CXX=g++", std::string("TANDEM_SDK_DIR=") + tests::paths::source + "/runners/sdk"};
  if (!flags.empty()) environment.push_back("CXXFLAGS=" + flags);
  return run({"sh", (framework / "build.sh").string(), tree.string(), destination.string()},
             std::move(environment));
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

History::History() : directory_(new_directory()) {
  const auto repository = directory_ / "repository";
  const auto made = make_history(repository);
  if (!made.succeeded()) throw Error("make_history.sh " + runners::describe(made) + ": " + made.errors);
  commits_ = read_commits(repository);
  for (const auto& commit : commits_) {
    output_of({"git", "-C", repository.string(), "worktree", "add", "--quiet", "--detach",
               tree(commit).string(), commit.id});
  }
  two_at_a_time(commits_.size(), [&](std::size_t i) {
    auto& commit = commits_[i];
    commit.executable = directory_ / ("executable-" + commit.id);
    commit.build = build(tree(commit), commit.executable);
    commit.bytes = read(commit.executable);
  });
}

History::~History() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

const History& History::shared() {
  static const History history;
  return history;
}

std::size_t History::place(const std::string& subject) const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < commits_.size(); ++i) {
    if (commits_[i].subject == subject) places.push_back(i);
  }
  if (places.size() != 1) throw Error("not exactly one commit is called: " + subject);
  return places.front();
}

}  // namespace tandem::specs::example
