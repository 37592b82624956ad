#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "end_to_end/readings.hpp"
#include "runners/process/process.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::tests {

namespace fs = std::filesystem;

/// The source of a little program in C that works on two operators for some rounds each and prints an
/// observer line for every iteration of each.
struct Net {
  int conv_rounds = 8000;
  int softmax_rounds = 8000;
  enum class Observer { pytorch, caffe2 } observer = Observer::pytorch;
  std::string unused;         ///< C that is compiled and never run
  std::string at_start;       ///< C that runs first in main
  std::string conv = "conv";  ///< what the function is called
  enum class Order { conv_first, softmax_first } order = Order::conv_first;

  [[nodiscard]] std::string source() const;
};

/// Tests with a foreign repository on branch main, a frameworks directory with its build script, a spec in
/// FAI-PEP's form, and directories for the daemon, all in a temporary directory. Nothing of this machine's
/// git configuration is read.
class World : public testing::Test {
 protected:
  World();

  /// Runs git in a directory; its output without the last newline. A failure of git fails the test.
  std::string git(const std::vector<std::string>& arguments, const fs::path& directory) const;
  std::string git(const std::vector<std::string>& arguments) const { return git(arguments, repo_); }
  /// Each commit is ten minutes after the one before, on a Tuesday.
  std::string commit(const Net& net, const std::string& subject);
  std::string commit_file(const std::string& file, const std::string& text, const std::string& subject);

  /// `daemon …` with every directory of this world. Later flags win over earlier ones only by replacing them.
  [[nodiscard]] std::vector<std::string> daemon_flags(const std::vector<std::string>& more = {}) const;
  [[nodiscard]] std::vector<std::string> once_flags(const std::vector<std::string>& more = {}) const;
  [[nodiscard]] runners::Command tandem_command(const std::vector<std::string>& arguments) const;
  [[nodiscard]] runners::Finished tandem(const std::vector<std::string>& arguments) const;

  /// What `tandem report --json --all` and `tandem status --json` print.
  [[nodiscard]] std::vector<ReportReading> reports() const;
  [[nodiscard]] StatusReading status() const;

  /// What build.sh does after it has said that it builds.
  void write_build_script(const std::string& body) const;

  TemporaryDirectory temporary_;
  fs::path root_ = fs::canonical(temporary_.path());
  fs::path repo_ = root_ / "repo";
  fs::path frameworks_dir_ = root_ / "frameworks";
  fs::path spec_ = root_ / "net.json";
  fs::path exec_dir_ = root_ / "executables";
  fs::path state_dir_ = root_ / "state";
  fs::path scratch_ = root_ / "scratch";

 private:
  long long clock_ = 1'700'550'000;  // Tuesday, 21 November 2023, 07:00 UTC
};

/// Whether a pass found nothing slower: it exited with 0, or with 3 because the host is too noisy to say
/// "unchanged" of the tip.
[[nodiscard]] bool is_quiet(const runners::Finished& finished);

/// Whether the evaluation form was asked for (TANDEM_LONG=1): small effects and long histories.
[[nodiscard]] bool long_form();

}  // namespace tandem::tests
