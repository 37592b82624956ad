#include "daemon/service/state_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "daemon/records/life.hpp"
#include "daemon/report/sample_record.hpp"
#include "daemon/service/state_start.hpp"
#include "daemon/walk/publish.hpp"
#include "specs/foundation/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

TEST(StateDirectory, IsMadeAndKeepsItsId) {
  const tests::TemporaryDirectory temporary;
  const fs::path state = temporary.path() / "a" / "b";
  check_state_directory(state);
  EXPECT_FALSE(fs::exists(state)) << "looking makes nothing";
  const auto marker = claim_state_directory(state);
  EXPECT_EQ(marker.id.size(), 32U);
  EXPECT_EQ(claim_state_directory(state).id, marker.id);
}

TEST(StateDirectory, MayBeANewFileSystem) {
  const tests::TemporaryDirectory temporary;
  fs::create_directories(temporary.path() / "lost+found");
  EXPECT_EQ(claim_state_directory(temporary.path()).version, state_version);
}

TEST(StateDirectory, MayBeWhatEarlierRunsLeftAndNotMore) {
  const tests::TemporaryDirectory temporary;
  write(temporary.path() / "mirrors" / "run-net" / "HEAD", "ref");
  write(temporary.path() / "logs" / "build-1.log", "");
  check_state_directory(temporary.path());
  write(temporary.path() / "letters" / "one", "mine");
  EXPECT_THROW(check_state_directory(temporary.path()), InputError);
}

TEST(StateDirectory, IsNotAnyFolderWithCommonNames) {
  const tests::TemporaryDirectory temporary;
  write(temporary.path() / "logs" / "web.log", "mine");
  write(temporary.path() / "status.json", "{\"schema\": \"other\"}");
  EXPECT_THROW(claim_state_directory(temporary.path()), InputError);
  EXPECT_FALSE(fs::exists(temporary.path() / "tandem.state"));
}

TEST(Scratch, IsRemovedAtTheEndAndOnlyWhatItsOwnersLeftBefore) {
  const tests::TemporaryDirectory temporary;
  const fs::path scratch = temporary.path() / "scratch";
  const std::string owner = "{\"schema\": \"tandem.owned/1\", \"owner\": \"me\"}";
  write(scratch / "run-0000000000000001" / "tandem.owner", owner);
  write(scratch / "run-0000000000000001" / "copy", "x");
  write(scratch / "run-0000000000000002" / "copy", "not ours");
  write(scratch / "notes" / "tandem.owner", owner);
  {
    const ScratchDirectory own(temporary.path(), "me");
    EXPECT_TRUE(fs::is_directory(own.path()));
    EXPECT_EQ(own.foreign().size(), 2U);
  }
  EXPECT_FALSE(fs::exists(scratch / "run-0000000000000001"));
  EXPECT_TRUE(fs::exists(scratch / "run-0000000000000002" / "copy"));
  EXPECT_TRUE(fs::exists(scratch / "notes"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch), {}), 2);
}

/// A state directory with one report, as its store and its files have it.
class RestoredStore : public testing::Test {
 protected:
  RestoredStore() {
    store_.save_records({record_}, {});
    publish(publisher_, {record_});
    publisher_.saved({record_});
  }
  /// The files go on, and the store does not.
  void add_to_report(RecordState state, const std::string& by) {
    told_ = with_event(told_, {state, told_.life.back().at + 60, by, "so it is", {}});
    publish(publisher_, {told_});
  }
  [[nodiscard]] std::vector<std::string> start() { return restore_reports(publisher_, store_, 1); }
  [[nodiscard]] Record stored() const { return store_.records({}).at(0); }
  [[nodiscard]] std::string report() const {
    return read_small_file(temporary_.path() / "reports" / record_.id / "report.json", 1 << 20).value_or("");
  }

  tests::TemporaryDirectory temporary_;
  store::Store store_{temporary_.path() / "tandem.db", store::Store::Mode::write};
  Publisher publisher_{temporary_.path(), store_.id()};
  Record record_ = tests::sample_regression();
  Record told_ = record_;
};

TEST_F(RestoredStore, ThatIsOlderLearnsWhatAPersonSaidLater) {
  add_to_report(RecordState::acknowledged, "ada");
  add_to_report(RecordState::accepted, "tandem");  // an account may have that name
  const std::string told = report();
  const auto notices = start();
  EXPECT_EQ(stored().state, RecordState::accepted);
  EXPECT_EQ(stored().life.size(), record_.life.size() + 2);
  EXPECT_EQ(report(), told);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find(record_.id), std::string::npos) << notices[0];
  EXPECT_TRUE(start().empty()) << "once";
}

TEST_F(RestoredStore, IsRightAboutWhatTandemAddedForThatStepIsRepeated) {
  const std::string before = report();
  add_to_report(RecordState::superseded, "tandem");
  EXPECT_TRUE(start().empty());
  EXPECT_EQ(stored().state, record_.state);
  EXPECT_EQ(report(), before);
  told_ = record_;
  add_to_report(RecordState::acknowledged, "ada");
  const std::string said = report();
  add_to_report(RecordState::fixed, "tandem");
  EXPECT_EQ(start().size(), 1u);
  EXPECT_EQ(stored().state, RecordState::acknowledged);
  EXPECT_EQ(report(), said);
}

TEST_F(RestoredStore, IsRightAboutAnotherLife) {
  const std::string before = report();
  told_.life.front().at += 1;
  add_to_report(RecordState::false_alarm, "ada");
  EXPECT_TRUE(start().empty());
  EXPECT_EQ(stored().state, record_.state);
  EXPECT_EQ(report(), before);
}

}  // namespace
}  // namespace tandem::daemon
