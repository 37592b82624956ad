// One measurement of history.sh: `history poll MIRROR URL BRANCH` fetches once as the daemon does and prints
// the seconds that took; `history walk MIRROR BRANCH` reads the whole first-parent line with all records and
// chooses a control for every commit; `history ids MIRROR BRANCH` only counts the steps of that line.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <variant>
#include <vector>

#include "builders/fetch.hpp"
#include "builders/repository.hpp"
#include "daemon/walk/control.hpp"

namespace {

using namespace tandem;
using Clock = std::chrono::steady_clock;

int poll(const std::string& program, const std::string& mirror, const std::string& url,
         const std::string& branch) {
  const builders::Source source = builders::resolve_source({.repo_dir = url, .branch = branch});
  const auto begin = Clock::now();
  const auto answer = builders::fetch(mirror, source, {program, std::chrono::minutes{10}});
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  if (const auto* failure = std::get_if<builders::FetchFailure>(&answer)) {
    fmt::print(stderr, "{}\n", failure->sentence);
    return 1;
  }
  fmt::print("{:.6f}\n", seconds.count());
  return 0;
}

int walk(const std::string& mirror, const std::string& branch) {
  const auto repository = builders::open_repository(mirror);
  auto commits = repository->first_parents(repository->tip(branch).value());
  const daemon::Line line = daemon::make_line(std::move(*commits), std::time(nullptr));
  daemon::ControlQuestion question;
  question.usable = [](std::size_t) { return true; };
  std::size_t distance = 0;
  for (question.treatment = 0; question.treatment < line.commits.size(); ++question.treatment) {
    if (const auto control = daemon::control_by(config::ControlRule::week, line, question))
      distance += question.treatment - *control;
  }
  fmt::print("{} commits, {} steps to their controls\n", line.commits.size(), distance);
  return 0;
}

int ids(const std::string& mirror, const std::string& branch, const std::string& root) {
  const auto repository = builders::open_repository(mirror);
  fmt::print("{}\n", repository->first_parent_distance(root, repository->tip(branch).value()).value() + 1);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv, argv + argc);
  if (argc > 1 && words[1] == builders::fetch_protocol::command) {
    return builders::fetch_in_child({words.begin() + 2, words.end()});
  }
  if (argc == 5 && words[1] == "poll") return poll("/proc/self/exe", words[2], words[3], words[4]);
  if (argc == 4 && words[1] == "walk") return walk(words[2], words[3]);
  if (argc == 5 && words[1] == "ids") return ids(words[2], words[3], words[4]);
  std::fputs("usage: history poll MIRROR URL BRANCH | walk MIRROR BRANCH | ids MIRROR BRANCH ROOT\n", stderr);
  return 2;
}
