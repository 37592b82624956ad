#include "builders/git/repack.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

/// As `ulimit -n` for this process and the children it starts.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = std::min(most, before_.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

class RepackTest : public GitTest {
 protected:
  [[nodiscard]] std::size_t packs() const {
    return static_cast<std::size_t>(
        std::count_if(fs::directory_iterator(mirror_ / "objects/pack"), fs::directory_iterator(),
                      [](const auto& entry) { return entry.path().extension() == ".pack"; }));
  }

  /// So many fetches, each of one new commit, after a culprit was pushed away; then everything is read.
  void fetch_often(int fetches, const RepackOptions& options) {
    const DescriptorLimit limit(256);
    const std::string root = commit("a", "root");
    fetched(upstream_);
    const std::string culprit = commit("a", "slower");
    fetched(upstream_);
    git({"reset", "-q", "--hard", root});
    std::vector<std::string> line{root};
    for (int i = 0; i < fetches; ++i) {
      line.push_back(commit("a", std::to_string(i)));
      ASSERT_EQ(fetched(upstream_).id, line.back());
      ASSERT_EQ(keep_packs_few(mirror_, {culprit, line[line.size() / 2]}, options), std::nullopt);
      ASSERT_LE(packs(), options.most_packs + 1);
    }
    const auto repository = open_repository(mirror_);
    EXPECT_EQ(repository->find(culprit)->id, culprit);
    EXPECT_EQ(repository->facts(culprit).files, std::vector<std::string>{"a"});
    EXPECT_EQ(repository->first_parents(line.back())->size(), line.size());
    for (const std::string& commit : line) ASSERT_EQ(repository->facts(commit).files.size(), 1U);
    EXPECT_EQ(git({"rev-parse", "refs/tandem-keep/" + culprit}, mirror_), culprit);
    EXPECT_EQ(git({"fsck", "--strict"}, mirror_), "");
  }
};

TEST_F(RepackTest, KeepsEveryCommitOverManyFetchesWithFewDescriptors) {
  fetch_often(120, {});
}

TEST_F(RepackTest, KeepsEveryCommitWithoutGit) {
  RepackOptions options;
  options.most_packs = 10;
  options.search_path = temporary_.path() / "empty";
  fetch_often(60, options);
}

TEST_F(RepackTest, LeavesAMirrorOfFewPacksAlone) {
  commit("a", "1");
  fetched(upstream_);
  const std::string before = fingerprint(mirror_);
  EXPECT_EQ(keep_packs_few(mirror_, {}), std::nullopt);
  EXPECT_EQ(fingerprint(mirror_), before);
}

TEST_F(RepackTest, KeepsTheOldPacksWhereOneOfThemIsDamaged) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  commit("a", "2");
  fetched(upstream_);
  damage(first);
  const std::size_t before = packs();
  for (const char* search_path : {"/usr/local/bin:/usr/bin:/bin", "/nonexistent"}) {
    RepackOptions options;
    options.most_packs = 1;
    options.search_path = search_path;
    fs::remove(mirror_ / "tandem-repack-failed");
    const auto failure = keep_packs_few(mirror_, {}, options);
    ASSERT_TRUE(failure) << search_path;
    EXPECT_NE(failure->find("could not be repacked"), std::string::npos) << *failure;
    EXPECT_GE(packs(), before);
  }
}

TEST_F(RepackTest, WaitsAfterAFailureAndThenTriesAgain) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  commit("a", "2");
  fetched(upstream_);
  const fs::path whole = temporary_.path() / "whole";
  fs::copy(mirror_, whole, fs::copy_options::recursive);
  damage(first);
  RepackOptions options;
  options.most_packs = 1;
  const auto let_pass = [&](int hours) {
    fs::last_write_time(mirror_ / "tandem-repack-failed",
                        fs::file_time_type::clock::now() - std::chrono::hours{hours});
  };
  ASSERT_TRUE(keep_packs_few(mirror_, {}, options));
  EXPECT_EQ(keep_packs_few(mirror_, {}, options), std::nullopt) << "nothing is tried yet";
  let_pass(1);
  ASSERT_TRUE(keep_packs_few(mirror_, {}, options));
  let_pass(1);
  EXPECT_EQ(keep_packs_few(mirror_, {}, options), std::nullopt) << "it is two hours now";
  fs::remove_all(mirror_ / "objects");
  fs::copy(whole / "objects", mirror_ / "objects", fs::copy_options::recursive);
  let_pass(2);
  EXPECT_EQ(keep_packs_few(mirror_, {}, options), std::nullopt);
  EXPECT_EQ(packs(), 1U);
  EXPECT_FALSE(fs::exists(mirror_ / "tandem-repack-failed"));
}

TEST_F(RepackTest, DoesNotSayThatACommitIsMissingWhenItsPackCannotBeRead) {
  const std::string first = commit("a", "1");
  fetched(upstream_);
  const std::string second = commit("a", "2");
  fetched(upstream_);
  for (const auto& entry : fs::directory_iterator(mirror_ / "objects/pack")) {
    if (entry.path().extension() == ".pack") fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
  }
  const auto repository = open_repository(mirror_);
  EXPECT_THROW(static_cast<void>(repository->find(first)), Error);
  EXPECT_THROW(static_cast<void>(repository->find(std::string(40, 'a'))), Error);
  EXPECT_THROW(static_cast<void>(repository->is_strict_ancestor(first, second)), Error);
  EXPECT_THROW(static_cast<void>(repository->merge_base(first, second)), Error);
}

TEST_F(RepackTest, TakesACommitBeforeATagThatIsNamedLikeIt) {
  const std::string first = commit("a", "1");
  const std::string second = commit("a", "2");
  git({"tag", first.substr(0, 10), second});
  git({"tag", first, second});
  git({"tag", first.substr(0, 5), second});
  fetched(upstream_);
  const auto repository = open_repository(mirror_);
  EXPECT_EQ(repository->find(first.substr(0, 10))->id, first);
  EXPECT_EQ(repository->find(first)->id, first);
  EXPECT_THROW(static_cast<void>(repository->find(first.substr(0, 5))), InputError);
  EXPECT_EQ(repository->find("refs/tags/" + first.substr(0, 5))->id, second);
}

}  // namespace
}  // namespace tandem::builders
