#pragma once

#include "git_fixture.hpp"
#include "loopback.hpp"

namespace tandem::builders {

/// Tests with a real Mercurial repository `upstream` in a temporary directory. Skipped where hg is missing.
class HgTest : public testing::Test {
 protected:
  void SetUp() override;

  /// Runs hg in a directory; its output without the last newline. A failure of hg fails the test.
  std::string hg(const std::vector<std::string>& arguments, const fs::path& directory) const;
  std::string hg(const std::vector<std::string>& arguments) const { return hg(arguments, upstream_); }

  /// Writes one file and commits it; returns the commit. Each commit is ten minutes after the one before.
  std::string commit(const std::string& file, const std::string& text, const std::string& subject = "Change");
  std::string commit_all(const std::string& subject);
  [[nodiscard]] std::string node(const std::string& revision = ".") const;

  [[nodiscard]] Source source_of(const std::string& repo_dir, const std::string& branch = "default") const;
  std::variant<Tip, FetchFailure> fetch_from(const std::string& repo_dir,
                                             const std::string& branch = "default",
                                             std::chrono::nanoseconds deadline = std::chrono::seconds{
                                                 60}) const;
  Tip fetched(const std::string& repo_dir, const std::string& branch = "default") const;
  FetchFailure not_fetched(const std::string& repo_dir, const std::string& branch = "default",
                           std::chrono::nanoseconds deadline = std::chrono::seconds{60}) const;

  TemporaryDirectory temporary_;
  fs::path upstream_ = temporary_.path() / "upstream";
  fs::path mirror_ = temporary_.path() / "state" / "mirrors" / "watch";
  fs::path token_file_;  ///< given with every fetch
  long long clock_ = 1'700'000'000;
};

/// A real `hg serve` of one repository on a loopback port.
class HgServer {
 public:
  explicit HgServer(const fs::path& repository);
  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  runners::Children children_;
  int port_ = 0;
  bool ready_ = false;
};

}  // namespace tandem::builders
