#include "repository_fixture.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "builders/identity/elf.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

// libgit2 reads the user's configuration once, when it is first used: it must not find this machine's.
const bool isolated =
    ::setenv("HOME", "/nonexistent", 1) == 0 && ::setenv("XDG_CONFIG_HOME", "/nonexistent", 1) == 0;

}  // namespace

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

void write_script(const fs::path& file, const std::string& text) {
  write(file, "#!/bin/sh\n" + text);
  fs::permissions(file, fs::perms::owner_all);
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) text += fmt::format("line {}\n", i);
  return text;
}

std::vector<std::string> ids(const std::vector<Commit>& commits) {
  std::vector<std::string> list;
  for (const Commit& commit : commits) list.push_back(commit.id);
  return list;
}

std::vector<std::string> git_environment() {
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
          "HOME=/nonexistent",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_AUTHOR_NAME=Ada",
          "GIT_AUTHOR_EMAIL=ada@example.org",
          "GIT_COMMITTER_NAME=Charles",
          "GIT_COMMITTER_EMAIL=charles@example.org",
          "GIT_TERMINAL_PROMPT=0",
          "LANG=C.UTF-8"};
}

std::vector<std::string> hg_environment() {
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
          "HGPLAIN=1",
          "HGRCPATH=",
          "HGENCODING=UTF-8",
          "HGUSER=Ada <ada@example.org>",
          "HGMERGE=internal:local",
          "LC_ALL=C.UTF-8",
          "TZ=Asia/Tokyo"};
}

std::string fingerprint(const fs::path& directory) {
  std::map<std::string, std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    struct stat status {};
    ::lstat(entry.path().c_str(), &status);
    lines[entry.path()] =
        fmt::format("{} {}.{} {:o} {}", entry.path().string(), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                    status.st_mode, entry.is_regular_file() ? read(entry.path()) : std::string());
  }
  std::string text;
  for (const auto& [path, line] : lines) text += line + "\n";
  return text;
}

std::vector<std::string> function_order(const fs::path& file) {
  std::vector<std::string> names;
  if (const auto facts = elf_facts(file)) {
    for (const auto& function : facts->functions) names.push_back(function.name);
  }
  return names;
}

int with_small_disk(const fs::path& place, int mebibytes, const std::function<int()>& work) {
  fs::create_directories(place);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string size = fmt::format("size={}m", mebibytes);
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("small", place.c_str(), "tmpfs", 0, size.c_str()) == 0;
    int status = 77;
    try {
      if (mounted) status = work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      status = 70;
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 71;
}

MirrorTest::MirrorTest(Source::Kind kind, std::string usual_branch)
    : kind_(kind), usual_branch_(std::move(usual_branch)) {
  EXPECT_TRUE(isolated);
  fs::create_directories(upstream_);
}

std::string MirrorTest::output_of(const std::string& program, const std::vector<std::string>& arguments,
                                  std::vector<std::string> environment, const fs::path& directory) {
  runners::Command command;
  command.argv = {program};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = std::move(environment);
  command.working_directory = directory;
  const auto finished = run_command(command, {});
  EXPECT_TRUE(finished.succeeded()) << arguments.front() << " " << describe(finished) << "\n"
                                    << finished.errors;
  std::string output = finished.output;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

std::string MirrorTest::commit(const std::string& file, const std::string& text, const std::string& subject) {
  write(upstream_ / file, text);
  return commit_all(subject);
}

Source MirrorTest::source_of(const std::string& repo_dir, const std::string& branch) const {
  return resolve_source({.kind = kind_,
                         .repo_dir = repo_dir,
                         .branch = branch.empty() ? usual_branch_ : branch,
                         .key_file = key_file_,
                         .token_file = token_file_});
}

std::variant<Tip, FetchFailure> MirrorTest::fetch_from(const std::string& repo_dir, const std::string& branch,
                                                       std::chrono::nanoseconds deadline) const {
  return fetch(mirror_, source_of(repo_dir, branch), {tests::paths::fetch_child, deadline});
}

Tip MirrorTest::fetched(const std::string& repo_dir, const std::string& branch) const {
  const auto result = fetch_from(repo_dir, branch);
  if (const auto* failure = std::get_if<FetchFailure>(&result)) {
    ADD_FAILURE() << name_of(failure->kind) << ": " << failure->sentence;
    return {};
  }
  return std::get<Tip>(result);
}

FetchFailure MirrorTest::not_fetched(const std::string& repo_dir, const std::string& branch,
                                     std::chrono::nanoseconds deadline) const {
  const auto result = fetch_from(repo_dir, branch, deadline);
  if (const auto* failure = std::get_if<FetchFailure>(&result)) return *failure;
  ADD_FAILURE() << "the fetch succeeded";
  return {};
}

GitTest::GitTest() : MirrorTest(Source::Kind::git, "main") {
  git({"init", "--quiet", "--initial-branch=main"});
}

std::string GitTest::git(const std::vector<std::string>& arguments, const fs::path& directory) const {
  std::vector<std::string> environment = git_environment();
  environment.push_back(fmt::format("GIT_AUTHOR_DATE={} +0900", clock_ - 30));
  environment.push_back(fmt::format("GIT_COMMITTER_DATE={} -0800", clock_));
  return output_of("/usr/bin/git", arguments, std::move(environment), directory);
}

std::string GitTest::commit_all(const std::string& subject) {
  clock_ += 600;
  git({"add", "--all"});
  git({"commit", "--quiet", "--allow-empty", "-m", subject});
  return git({"rev-parse", "HEAD"});
}

void GitTest::damage(const std::string& id) const {
  for (const auto& entry : fs::directory_iterator(mirror_ / "objects/pack")) {
    if (entry.path().extension() != ".idx") continue;
    const std::string listing = git({"verify-pack", "-v", entry.path()}, mirror_);
    const auto line = listing.find(id);
    if (line == std::string::npos) continue;
    // id, kind, size, size in the pack, offset
    std::istringstream words(listing.substr(line + id.size()));
    std::string kind;
    std::streamoff size = 0;
    std::streamoff packed = 0;
    std::streamoff offset = 0;
    words >> kind >> size >> packed >> offset;
    const fs::path pack = fs::path(entry.path()).replace_extension(".pack");
    // The seed may share the file.
    const std::string bytes = read(pack);
    fs::remove(pack);
    write(pack, bytes);
    std::fstream file(pack, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(offset + packed / 2);
    file << "\xAA\x55\xAA\x55";
    return;
  }
  ADD_FAILURE() << "the mirror has no pack with " << id;
}

void HgTest::SetUp() {
  if (!fs::exists("/usr/bin/hg")) GTEST_SKIP() << "mercurial is not installed";
  hg({"init"});
}

std::string HgTest::hg(const std::vector<std::string>& arguments, const fs::path& directory) const {
  return output_of("/usr/bin/hg", arguments, hg_environment(), directory);
}

std::string HgTest::commit_all(const std::string& subject) {
  clock_ += 600;
  hg({"commit", "--addremove", "--quiet", "--date", fmt::format("{} -32400", clock_), "--message", subject});
  return node();
}

std::string HgTest::node(const std::string& revision) const {
  return hg({"log", "--rev", revision, "--template", "{node}"});
}

}  // namespace tandem::builders
