// Several processes in one cache, and some of them killed.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "builders/cache/budget.hpp"
#include "builders/cache/listing.hpp"
#include "cache_fixture.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {
namespace {

/// A child that does some work and then waits until it is let go; a crash or a false result is a failure.
class Child {
 public:
  explicit Child(const std::function<bool()>& work, bool waits = true) {
    int ready[2];
    int leave[2];
    if (::pipe(ready) != 0 || ::pipe(leave) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::close(leave[1]);
      bool good = false;
      try {
        good = work();
      } catch (const std::exception& error) {
        ::write(2, error.what(), std::string(error.what()).size());
      }
      char byte = 0;
      if (waits) good = ::write(ready[1], "x", 1) == 1 && ::read(leave[0], &byte, 1) == 0 && good;
      ::_exit(good ? 0 : 1);
    }
    ::close(ready[1]);
    ::close(leave[0]);
    leave_ = tandem::OwnedDescriptor(leave[1]);
    char byte = 0;
    if (waits && ::read(ready[0], &byte, 1) != 1) throw std::runtime_error("the child died");
    ::close(ready[0]);
  }

  void kill() const { ::kill(process_, SIGKILL); }
  int finish() {
    leave_ = {};
    int status = 0;
    ::waitpid(process_, &status, 0);
    return status;
  }

 private:
  pid_t process_ = -1;
  tandem::OwnedDescriptor leave_;
};

TEST_F(CacheTest, IsNotEmptiedUnderTheFeetOfAnotherProcess) {
  const Executable executable = publish();
  std::optional<InUse> held;
  Child user([&] {
    held = cache_.pin(executable);
    return held.has_value();
  });
  EXPECT_EQ(prune(exec_dir_, 0, {}).in_use, 1U);
  EXPECT_TRUE(fs::exists(executable.program));
  user.kill();
  user.finish();
  EXPECT_EQ(prune(exec_dir_, 0, {}).dropped.size(), 1U) << "a dead process uses nothing";
}

TEST_F(CacheTest, SurvivesPublishersUsersAndPrunersAtOnce) {
  const auto busy = [&](char commit) {
    return [this, commit] {
      CacheEntry entry = entry_;
      entry.commit = std::string(40, commit);
      for (int round = 0; round < 12; ++round) {
        const auto published = cache_.publish(entry, built_, "main");
        if (!std::holds_alternative<Executable>(published)) return false;
        if (!cache_.find(entry).damage.empty()) return false;
        const auto held = cache_.pin(std::get<Executable>(published));
        if (held && !fs::exists(std::get<Executable>(published).program)) return false;
      }
      return true;
    };
  };
  const auto prunes = [this] {
    for (int round = 0; round < 25; ++round) static_cast<void>(prune(exec_dir_, 8192, {}));
    return true;
  };
  Child one(busy('a'), false);
  Child two(busy('a'), false);
  Child three(busy('b'), false);
  Child four(prunes, false);
  Child five(prunes, false);
  for (Child* child : {&one, &two, &three, &four, &five}) EXPECT_EQ(child->finish(), 0);
  EXPECT_TRUE(verify_entries(exec_dir_).damage.empty());
  EXPECT_TRUE(list_damaged(exec_dir_).empty()) << "what is pruned is not damaged";
}

TEST_F(CacheTest, IsWholeWhereverAProcessIsKilled) {
  for (int i = 0; i < 20; ++i) write(built_ / "lib" / std::to_string(i), std::string(5000, 'x'));
  for (int round = 0; round < 15; ++round) {
    Child child(
        [this] {
          while (true) {
            const auto published = cache_.publish(entry_, built_, "main");
            static_cast<void>(cache_.publish_layout(std::get<Executable>(published), 7, built_));
            static_cast<void>(prune(exec_dir_, 0, {}));
          }
          return true;
        },
        false);
    ::usleep(1000 + 2300 * round);
    child.kill();
    child.finish();
    const Verified verified = verify_entries(exec_dir_);
    EXPECT_TRUE(verified.damage.empty()) << verified.damage.front();
    cache_.clean();
    EXPECT_TRUE(!fs::exists(exec_dir_ / "incoming") || fs::is_empty(exec_dir_ / "incoming"));
    publish();
    EXPECT_TRUE(cache_.find(entry_).executable);
  }
}

}  // namespace
}  // namespace tandem::builders
