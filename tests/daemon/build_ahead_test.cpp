#include "daemon/service/build_ahead.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <semaphore>
#include <set>

namespace tandem::daemon {
namespace {

using builders::BuildFailure;
using builders::Commit;
using builders::Executable;

Commit commit_of(const std::string& id) {
  Commit commit;
  commit.id = id;
  return commit;
}

/// Notes what it builds; what is in `held` waits until it is let go.
class ScriptedBuilder final : public builders::Builder {
 public:
  std::variant<Executable, BuildFailure> build(const Commit& commit, std::stop_token stop) override {
    {
      const std::lock_guard lock(mutex_);
      built_.push_back(commit.id);
    }
    started.release();
    if (holds) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, stop, [&] { return let_go_; });
      if (stop.stop_requested()) return BuildFailure{commit.id, BuildFailure::Kind::stopped, {}, {}, {}, {}};
    }
    if (const auto failure = failures.find(commit.id); failure != failures.end()) {
      return BuildFailure{commit.id, failure->second, {}, "as scripted", {}, {}};
    }
    Executable executable;
    executable.commit = commit.id;
    return executable;
  }
  std::variant<Executable, builders::RelinkFailure> relink(const Executable& /*executable*/,
                                                           std::uint64_t /*seed*/,
                                                           std::stop_token /*stop*/) override {
    return builders::RelinkFailure{builders::RelinkFailure::Kind::not_possible, "as scripted"};
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> built() {
    const std::lock_guard lock(mutex_);
    return built_;
  }

  bool holds = false;
  std::map<std::string, BuildFailure::Kind> failures;
  std::counting_semaphore<> started{0};

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool let_go_ = false;
  std::vector<std::string> built_;
};

using Texts = std::vector<std::string>;

TEST(BuildAhead, BuildsWhatIsQueuedInItsOrder) {
  ScriptedBuilder front;
  ScriptedBuilder behind;
  BuildAhead ahead(front, behind);
  ahead.queue({commit_of("a"), commit_of("b")});
  behind.started.acquire();
  behind.started.acquire();
  EXPECT_EQ(behind.built(), (Texts{"a", "b"}));
  EXPECT_TRUE(front.built().empty());
}

TEST(BuildAhead, WaitsForACommitThatIsBeingBuiltBehind) {
  ScriptedBuilder front;
  ScriptedBuilder behind;
  behind.holds = true;
  BuildAhead ahead(front, behind);
  ahead.queue({commit_of("a")});
  behind.started.acquire();
  std::jthread asks([&] { static_cast<void>(ahead.build(commit_of("a"), {})); });
  EXPECT_TRUE(front.built().empty()) << "it is not built twice at the same time";
  behind.let_go();
  asks.join();
  EXPECT_EQ(front.built(), (Texts{"a"})) << "afterwards the front finds it in the cache";
}

TEST(BuildAhead, DoesNotTryASourceThatDoesNotBuildAgain) {
  ScriptedBuilder front;
  ScriptedBuilder behind;
  behind.failures = {{"broken", BuildFailure::Kind::source}, {"unlucky", BuildFailure::Kind::disk}};
  BuildAhead ahead(front, behind);
  ahead.queue({commit_of("broken"), commit_of("unlucky"), commit_of("last")});
  for (int i = 0; i < 3; ++i) behind.started.acquire();
  const auto result = ahead.build(commit_of("broken"), {});
  EXPECT_TRUE(std::holds_alternative<BuildFailure>(result));
  static_cast<void>(ahead.build(commit_of("unlucky"), {}));
  EXPECT_EQ(front.built(), (Texts{"unlucky"}));
}

TEST(BuildAhead, StartsNothingWhileItIsToBeQuiet) {
  ScriptedBuilder front;
  ScriptedBuilder behind;
  BuildAhead ahead(front, behind);
  {
    const BuildAhead::Quiet quiet(ahead, {});
    ahead.queue({commit_of("a")});
    EXPECT_FALSE(behind.started.try_acquire_for(std::chrono::milliseconds{20}));
  }
  behind.started.acquire();
}

TEST(BuildAhead, EndsTheBuildBehindWhenItGoes) {
  ScriptedBuilder front;
  ScriptedBuilder behind;
  behind.holds = true;
  {
    BuildAhead ahead(front, behind);
    ahead.queue({commit_of("a"), commit_of("b")});
    behind.started.acquire();
  }
  EXPECT_EQ(behind.built(), (Texts{"a"}));
}

}  // namespace
}  // namespace tandem::daemon
