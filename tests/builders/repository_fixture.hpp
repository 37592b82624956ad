#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "builders/commit.hpp"
#include "builders/fetch.hpp"
#include "runners/process/process.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::builders {

namespace fs = std::filesystem;
using tests::TemporaryDirectory;

void write(const fs::path& file, const std::string& text);
void write_script(const fs::path& file, const std::string& text);
[[nodiscard]] std::string read(const fs::path& file);

/// "line 3\nline 4\n…", both ends included.
[[nodiscard]] std::string numbered(int from, int to);

[[nodiscard]] std::vector<std::string> ids(const std::vector<Commit>& commits);

/// The environment of a git, and of an hg, that reads no configuration of this machine. What hg commits comes
/// from far east of UTC.
[[nodiscard]] std::vector<std::string> git_environment();
[[nodiscard]] std::vector<std::string> hg_environment();

/// Every file below a directory with its content, modification time and mode, to see whether anything was
/// touched.
[[nodiscard]] std::string fingerprint(const fs::path& directory);

/// The names of the functions that a program or library defines, by address. Empty if it has no symbols.
[[nodiscard]] std::vector<std::string> function_order(const fs::path& file);

/// Runs in a child with a file system of so many mebibytes mounted at `place`; its exit status, or 77 if
/// nothing can be mounted.
[[nodiscard]] int with_small_disk(const fs::path& place, int mebibytes, const std::function<int()>& work);

/// Tests with a real repository `upstream` in a temporary directory, without a commit yet, and its mirror.
class MirrorTest : public testing::Test {
 protected:
  MirrorTest(Source::Kind kind, std::string usual_branch);

  /// Writes one file and commits it; returns the commit. Each commit is ten minutes after the one before.
  std::string commit(const std::string& file, const std::string& text, const std::string& subject = "Change");
  virtual std::string commit_all(const std::string& subject) = 0;

  /// Without a branch, the usual one: `main` of git, `default` of Mercurial.
  [[nodiscard]] Source source_of(const std::string& repo_dir, const std::string& branch = {}) const;

  /// Fetches `repo_dir` into the mirror as the daemon would.
  std::variant<Tip, FetchFailure> fetch_from(const std::string& repo_dir, const std::string& branch = {},
                                             std::chrono::nanoseconds deadline = std::chrono::seconds{
                                                 60}) const;
  Tip fetched(const std::string& repo_dir, const std::string& branch = {}) const;
  FetchFailure not_fetched(const std::string& repo_dir, const std::string& branch = {},
                           std::chrono::nanoseconds deadline = std::chrono::seconds{60}) const;

  /// The output of a tool without its last newlines. A failure of the tool fails the test.
  static std::string output_of(const std::string& program, const std::vector<std::string>& arguments,
                               std::vector<std::string> environment, const fs::path& directory);

  TemporaryDirectory temporary_;
  fs::path upstream_ = temporary_.path() / "upstream";
  fs::path state_dir_ = temporary_.path() / "state";
  fs::path mirror_ = state_dir_ / "mirrors" / "watch";
  fs::path key_file_;    ///< given with every fetch
  fs::path token_file_;  ///< given with every fetch
  long long clock_ = 1'700'000'000;

 private:
  Source::Kind kind_;
  std::string usual_branch_;
};

/// With a git repository that has a work tree.
class GitTest : public MirrorTest {
 protected:
  GitTest();

  std::string git(const std::vector<std::string>& arguments, const fs::path& directory) const;
  std::string git(const std::vector<std::string>& arguments) const { return git(arguments, upstream_); }
  std::string commit_all(const std::string& subject) override;

  /// Overwrites the middle of an object in the packs of the mirror.
  void damage(const std::string& id) const;
};

/// With a Mercurial repository. Skipped where hg is missing.
class HgTest : public MirrorTest {
 protected:
  HgTest() : MirrorTest(Source::Kind::hg, "default") {}
  void SetUp() override;

  std::string hg(const std::vector<std::string>& arguments, const fs::path& directory) const;
  std::string hg(const std::vector<std::string>& arguments) const { return hg(arguments, upstream_); }
  std::string commit_all(const std::string& subject) override;
  [[nodiscard]] std::string node(const std::string& revision = ".") const;
};

}  // namespace tandem::builders
