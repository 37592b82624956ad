#include "daemon/commands/requests.hpp"

#include <gtest/gtest.h>

#include "daemon/commands/command_line.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/file_lock.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using store::Store;

class QueueCommand : public testing::Test {
 protected:
  [[nodiscard]] Store writer() const { return {directory_.path() / "tandem.db", Store::Mode::write}; }
  void know(const std::string& watch, const std::string& platform) const {
    writer().set_start({watch, platform}, "a");
  }

  int run(std::vector<std::string> words) {
    words.insert(words.begin(), {"tandem", "queue"});
    words.insert(words.end(), {"--state_dir", directory_.path().string()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    refusal_.clear();
    testing::internal::CaptureStdout();
    int code = 2;
    try {
      code = run_queue_command(
          std::get<QueueOptions>(read_command_line(static_cast<int>(argv.size()), argv.data())));
    } catch (const InputError& error) {
      refusal_ = error.what();
    }
    output_ = testing::internal::GetCapturedStdout();
    return code;
  }

  tests::TemporaryDirectory directory_;
  std::string output_;
  std::string refusal_;
};

TEST_F(QueueCommand, AddsARequestAndSaysWhetherADaemonRuns) {
  know("pebble", "linux");
  EXPECT_EQ(run({"main", "--against", "v1", "--benchmark", "softmax", "--platform", "linux", "--by", "ada"}),
            0)
      << refusal_;
  EXPECT_EQ(output_, "queued as 1; tandem queue --list shows what came of it\nno daemon runs with " +
                         directory_.path().string() + "; it is done when one does\n");
  const auto waiting = writer().waiting_requests();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].kind, Request::Kind::measure);
  EXPECT_EQ(waiting[0].key, (WatchKey{"pebble", "linux"}));
  EXPECT_EQ(waiting[0].commit, "main");
  EXPECT_EQ(waiting[0].against, "v1");
  EXPECT_EQ(waiting[0].benchmark, "softmax");
  EXPECT_EQ(waiting[0].by, "ada");
  EXPECT_GT(waiting[0].at, 1'700'000'000);

  tandem::FileLock daemon(directory_.path() / "daemon.lock");
  ASSERT_TRUE(daemon.try_lock());
  EXPECT_EQ(run({"main"}), 0);
  EXPECT_EQ(output_, "queued as 2; tandem queue --list shows what came of it\n");
  EXPECT_EQ(writer().request(2)->key.platform, "");
  EXPECT_EQ(writer().request(2)->by, user_name());
  EXPECT_EQ(run({"main"}), 0);
  EXPECT_TRUE(output_.starts_with("waits already as 2")) << output_;
}

TEST_F(QueueCommand, WantsAWatchThatIsKnown) {
  EXPECT_EQ(run({"main"}), 2);
  EXPECT_NE(refusal_.find("no daemon has run"), std::string::npos) << refusal_;
  EXPECT_FALSE(fs::exists(directory_.path() / "tandem.db"));
  static_cast<void>(writer());
  EXPECT_EQ(run({"main"}), 2);
  EXPECT_NE(refusal_.find("start the daemon first"), std::string::npos) << refusal_;
  know("pebble", "linux");
  know("pebble", "arm");
  EXPECT_EQ(run({"main"}), 0) << refusal_;
  EXPECT_EQ(run({"main", "--platform", "mips"}), 2);
  EXPECT_EQ(refusal_, "--platform mips is unknown; pebble has arm, linux");
  know("granite", "linux");
  EXPECT_EQ(run({"main"}), 2);
  EXPECT_EQ(refusal_, "there are several watches; write --watch and one of granite, pebble");
  EXPECT_EQ(run({"main", "--watch", "slate"}), 2);
  EXPECT_EQ(refusal_, "--watch slate is unknown; there is granite, pebble");
  EXPECT_EQ(run({"main", "--watch", "granite"}), 0) << refusal_;
}

TEST_F(QueueCommand, ListsTheNewestTwenty) {
  know("pebble", "linux");
  EXPECT_EQ(run({"--list"}), 0);
  EXPECT_EQ(output_, "nothing was queued\n");
  for (int i = 0; i < 21; ++i) run({"commit" + std::to_string(i)});
  EXPECT_EQ(run({"--list"}), 0);
  EXPECT_NE(output_.find("measure commit20"), std::string::npos) << output_;
  EXPECT_NE(output_.find("measure commit1,"), std::string::npos) << output_;
  EXPECT_EQ(output_.find("measure commit0"), std::string::npos) << output_;
  EXPECT_EQ(run({"--list", "--json"}), 0);
  EXPECT_TRUE(output_.starts_with("[")) << output_;
}

TEST_F(QueueCommand, CancelsWhatWaitsAndNothingElse) {
  know("pebble", "linux");
  run({"main"});
  EXPECT_EQ(run({"--cancel", "1", "--by", "ada"}), 0) << refusal_;
  EXPECT_EQ(writer().request(1)->state, Request::State::failed);
  EXPECT_EQ(writer().request(1)->answer, "cancelled by ada");
  EXPECT_EQ(run({"--cancel", "1"}), 2);
  EXPECT_EQ(refusal_, "request 1 does not wait any more, it is failed");
  EXPECT_EQ(run({"--cancel", "2"}), 2);
  EXPECT_EQ(refusal_, "there is no request 2; tandem queue --list shows them");
}

TEST_F(QueueCommand, WantsOneThingAtATime) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"main", "--list"},
                                             {"main", "--cancel", "1"},
                                             {"--list", "--cancel", "1"},
                                             {"--cancel", "x"}}) {
    EXPECT_EQ(run(words), 2);
    EXPECT_NE(refusal_, "");
  }
}

TEST(DaemonRuns, IsFalseWhereNoStateDirectoryIsYet) {
  const tests::TemporaryDirectory directory;
  EXPECT_FALSE(daemon_runs(directory.path() / "not yet there"));
}

}  // namespace
}  // namespace tandem::daemon::commands
