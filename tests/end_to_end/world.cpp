#include "end_to_end/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "support/paths.hpp"

namespace tandem::tests {
namespace {

constexpr const char* head = R"(#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}
)";

/// A chain of dependent steps: its time follows the number of rounds and hardly anything else.
std::string operator_source(const std::string& name, int rounds) {
  return fmt::format(R"(
__attribute__((noinline)) static uint64_t {}(uint64_t x) {{
  for (int i = 0; i < {}; ++i) x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x;
}}
)",
                     name, rounds);
}

constexpr const char* new_form = R"(
static void tell(const char* type, double us) {
  printf("PyTorchObserver {\"type\": \"%s\", \"metric\": \"latency\", \"unit\": \"us\", \"value\": \"%.3f\"}\n", type, us);
}
)";

constexpr const char* old_form = R"(
static void tell(const char* type, double us) {
  printf("Caffe2Observer {\"%s\": {\"latency\": {\"value\": %.3f, \"unit\": \"us\"}}}\n", type, us);
}
)";

}  // namespace

std::string Net::source() const {
  std::string operators = operator_source(conv, conv_rounds);
  const std::string other = operator_source("softmax", softmax_rounds);
  operators = order == Order::conv_first ? operators + other : other + operators;
  return head + operators + (observer == Observer::pytorch ? new_form : old_form) + unused +
         fmt::format(R"(
int main(int argc, char** argv) {{
  {}
  int iterations = argc > 2 && strcmp(argv[1], "--iter") == 0 ? atoi(argv[2]) : 1;
  uint64_t x = 1;
  puts("the net is loaded");
  for (int i = 0; i < iterations; ++i) {{
    double begin = now_us();
    x = {}(x | 1);
    double middle = now_us();
    x = softmax(x | 1);
    double end = now_us();
    tell("Conv", middle - begin);
    tell("Softmax", end - middle);
  }}
  return x == 0;
}}
)",
                     at_start, conv);
}

World::World() {
  fs::create_directories(repo_);
  fs::create_directories(scratch_);
  git({"init", "--quiet", "--initial-branch=main"});
  write_build_script("exec cc -O2 -o \"$2\" \"$1/net.c\"\n");
  write_file(spec_, R"({
  "model": {"name": "net", "format": "source", "framework": "foreign", "description": "two operators"},
  "tests": [
    {
      "metric": "delay",
      "identifier": "net",
      "iter": 40,
      "commands": ["{program} --iter {iter}"]
    }
  ]
}
)");
}

std::string World::git(const std::vector<std::string>& arguments, const fs::path& directory) const {
  runners::Command command;
  command.argv = {"/usr/bin/git"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                         "HOME=/nonexistent",
                         "GIT_CONFIG_NOSYSTEM=1",
                         "GIT_CONFIG_GLOBAL=/dev/null",
                         "GIT_AUTHOR_NAME=Ada",
                         "GIT_AUTHOR_EMAIL=ada@example.org",
                         "GIT_COMMITTER_NAME=Charles",
                         "GIT_COMMITTER_EMAIL=charles@example.org",
                         fmt::format("GIT_AUTHOR_DATE={} +0000", clock_),
                         fmt::format("GIT_COMMITTER_DATE={} +0000", clock_)};
  command.working_directory = directory;
  const auto finished = run_command(command, {});
  EXPECT_TRUE(finished.succeeded()) << arguments.front() << " " << describe(finished) << "\n"
                                    << finished.errors;
  std::string output = finished.output;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

std::string World::commit(const Net& net, const std::string& subject) {
  return commit_file("net.c", net.source(), subject);
}

std::string World::commit_file(const std::string& file, const std::string& text, const std::string& subject) {
  write_file(repo_ / file, text);
  clock_ += 600;
  git({"add", "--all"});
  git({"commit", "--quiet", "--allow-empty", "-m", subject});
  return git({"rev-parse", "HEAD"});
}

std::vector<std::string> World::daemon_flags(const std::vector<std::string>& more) const {
  std::vector<std::string> flags = {"daemon"};
  const std::vector<std::pair<std::string, std::string>> usual = {
      {"--repo_dir", repo_},      {"--branch", "main"},
      {"--framework", "foreign"}, {"--frameworks_dir", frameworks_dir_},
      {"--platforms", "linux"},   {"--benchmark_file", spec_},
      {"--exec_dir", exec_dir_},  {"--state_dir", state_dir_}};
  for (const auto& [flag, value] : usual) {
    if (std::find(more.begin(), more.end(), flag) != more.end()) continue;
    flags.push_back(flag);
    flags.push_back(value);
  }
  flags.emplace_back("--regression");
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

std::vector<std::string> World::once_flags(const std::vector<std::string>& more) const {
  auto flags = daemon_flags(more);
  flags.emplace_back("--once");
  return flags;
}

runners::Command World::tandem_command(const std::vector<std::string>& arguments) const {
  runners::Command command;
  command.argv = {tests::paths::tandem};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + (root_ / "home").string(),
                         "TANDEM_LOCK_FILE=" + (root_ / "measuring.lock").string(),
                         "TMPDIR=" + scratch_.string()};
  return command;
}

runners::Finished World::tandem(const std::vector<std::string>& arguments) const {
  runners::Limits limits;
  limits.deadline = long_form() ? std::chrono::minutes{20} : std::chrono::minutes{4};
  return run_command(tandem_command(arguments), limits);
}

std::vector<ReportReading> World::reports() const {
  const auto finished = tandem({"report", "--json", "--all", "--state_dir", state_dir_});
  EXPECT_TRUE(finished.succeeded()) << finished.errors;
  return read_reports(finished.output);
}

StatusReading World::status() const {
  const auto finished = tandem({"status", "--json", "--state_dir", state_dir_});
  EXPECT_TRUE(finished.succeeded()) << finished.errors;
  return read_status(finished.output);
}

void World::write_build_script(const std::string& body) const {
  const fs::path script = frameworks_dir_ / "foreign" / "linux" / "build.sh";
  write_file(script, "#!/bin/sh\nset -e\necho building\n" + body);
  fs::permissions(script, fs::perms::owner_all);
}

bool is_quiet(const runners::Finished& finished) {
  return finished.how == runners::Finished::How::exited && (finished.code == 0 || finished.code == 3);
}

bool long_form() {
  const char* wanted = std::getenv("TANDEM_LONG");
  return wanted != nullptr && std::string(wanted) == "1";
}

}  // namespace tandem::tests
