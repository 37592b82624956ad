#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "builders/fetch.hpp"
#include "runners/process/process.hpp"

namespace tandem::builders {

namespace fs = std::filesystem;

/// A directory that is gone after the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write(const fs::path& file, const std::string& text);
void write_script(const fs::path& file, const std::string& text);
[[nodiscard]] std::string read(const fs::path& file);

/// The environment of a git that reads no configuration of this machine.
[[nodiscard]] std::vector<std::string> git_environment();

/// Every file below a directory with its content, modification time and mode, to see whether anything was
/// touched.
[[nodiscard]] std::string fingerprint(const fs::path& directory);

/// Tests with a real repository `upstream` (with a work tree, branch main, no commit yet) in a temporary
/// directory.
class GitTest : public testing::Test {
 protected:
  GitTest();

  /// Runs git in a directory; its output without the last newline. A failure of git fails the test.
  std::string git(const std::vector<std::string>& arguments, const fs::path& directory) const;
  std::string git(const std::vector<std::string>& arguments) const { return git(arguments, upstream_); }

  /// Writes one file and commits it; returns the commit. Each commit is ten minutes after the one before.
  std::string commit(const std::string& file, const std::string& text, const std::string& subject = "Change");
  std::string commit_all(const std::string& subject);

  [[nodiscard]] Source source_of(const std::string& repo_dir, const std::string& branch = "main") const;

  /// Fetches `repo_dir` into the mirror as the daemon would.
  std::variant<Tip, FetchFailure> fetch_from(const std::string& repo_dir, const std::string& branch = "main",
                                             std::chrono::nanoseconds deadline = std::chrono::seconds{
                                                 60}) const;
  Tip fetched(const std::string& repo_dir, const std::string& branch = "main") const;
  FetchFailure not_fetched(const std::string& repo_dir, const std::string& branch = "main",
                           std::chrono::nanoseconds deadline = std::chrono::seconds{60}) const;

  /// Overwrites the middle of an object in the packs of the mirror.
  void damage(const std::string& id) const;

  TemporaryDirectory temporary_;
  fs::path upstream_ = temporary_.path() / "upstream";
  fs::path state_dir_ = temporary_.path() / "state";
  fs::path key_file_;    ///< given with every fetch
  fs::path token_file_;  ///< given with every fetch
  fs::path mirror_ = state_dir_ / "mirrors" / "watch";

 private:
  long long clock_ = 1'700'000'000;
};

}  // namespace tandem::builders
