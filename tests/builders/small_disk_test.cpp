// Fetching and checking out where the file system is full. Needs root and a mount namespace.
#include <unistd.h>

#include <cstdio>

#include "builders/git/repack.hpp"
#include "builders/repository.hpp"
#include "repository_fixture.hpp"

namespace tandem::builders {
namespace {

class SmallDiskTest : public GitTest {
 protected:
  /// Two megabytes that do not compress.
  static std::string noise() {
    std::string bytes;
    std::uint32_t state = 1;
    for (int i = 0; i < 2'000'000; ++i) {
      state ^= state << 13U;
      state ^= state >> 17U;
      state ^= state << 5U;
      bytes += static_cast<char>(state >> 11U);
    }
    return bytes;
  }
};

TEST_F(SmallDiskTest, ACheckoutSaysThatTheDiskIsFull) {
  commit("large", noise());
  fetched(upstream_);
  const fs::path tree = temporary_.path() / "tree";
  const int status = with_small_disk(tree, 1, [&] {
    const auto repository = open_repository(mirror_);
    const auto failure = repository->checkout(repository->find("main").value(), tree);
    if (!failure) return 1;
    std::fprintf(stderr, "%s\n", failure->sentence.c_str());
    return failure->kind == CheckoutFailure::Kind::disk ? 0 : 2;
  });
  if (status == 77) GTEST_SKIP() << "no small file system can be mounted";
  EXPECT_EQ(status, 0);
}

TEST_F(SmallDiskTest, AFetchSaysThatTheDiskIsFullAndGoesOnWhenThereIsRoom) {
  const std::string first = commit("a", "1");
  const std::string large = noise();
  const int status = with_small_disk(mirror_.parent_path(), 1, [&] {
    if (fetched(upstream_).id != first) return 1;
    commit("large", large);
    const auto failure = not_fetched("file://" + upstream_.string());
    std::fprintf(stderr, "%s\n", failure.sentence.c_str());
    if (failure.kind != FetchFailure::Kind::disk) return 2;
    if (open_repository(mirror_)->tip("main") != first) return 3;
    git({"rm", "--quiet", "large"});
    git({"commit", "--quiet", "--amend", "--allow-empty", "-m", "Small again"});
    return fetched(upstream_).id == git({"rev-parse", "HEAD"}) ? 0 : 4;
  });
  if (status == 77) GTEST_SKIP() << "no small file system can be mounted";
  EXPECT_EQ(status, 0);
}

TEST_F(SmallDiskTest, ARepackWithoutRoomIsNotBegun) {
  const std::string some = noise().substr(0, 600'000);
  const int status = with_small_disk(mirror_.parent_path(), 1, [&] {
    commit("a", some);
    fetched("file://" + upstream_.string());
    commit("a", "small");
    fetched("file://" + upstream_.string());
    const std::string before = fingerprint(mirror_ / "objects");
    RepackOptions options;
    options.most_packs = 1;
    const auto failure = keep_packs_few(mirror_, {}, options);
    if (!failure) return 1;
    std::fprintf(stderr, "%s\n", failure->c_str());
    if (failure->find("there is room for") == std::string::npos) return 2;
    return fingerprint(mirror_ / "objects") == before ? 0 : 3;
  });
  if (status == 77) GTEST_SKIP() << "no small file system can be mounted";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tandem::builders
