#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "daemon/commands/command_line.hpp"
#include "daemon/commands/requests.hpp"
#include "daemon/records/record_json.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/sample_record.hpp"
#include "specs/foundation/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using store::Store;

/// A store with an open regression and an improvement.
class RecordCommands : public testing::Test {
 protected:
  RecordCommands() {
    Store store(file(), Store::Mode::write);
    store.save_records({tests::sample_regression(), tests::sample_improvement()}, {});
  }

  [[nodiscard]] fs::path file() const { return directory_.path() / "tandem.db"; }
  [[nodiscard]] Record stored() const { return *Store(file(), Store::Mode::read).record(id_); }

  /// `tandem report` with these words; what it prints is in `output_`, a refusal in `refusal_`.
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), {"tandem", "report"});
    words.insert(words.end(), {"--state_dir", directory_.path().string()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    refusal_.clear();
    testing::internal::CaptureStdout();
    int code = 2;
    try {
      const Command command = read_command_line(static_cast<int>(argv.size()), argv.data());
      const auto* change = std::get_if<RecordOptions>(&command);
      code = change != nullptr ? run_record_command(*change)
                               : run_report_command(std::get<ReportOptions>(command));
    } catch (const InputError& error) {
      refusal_ = error.what();
    }
    output_ = testing::internal::GetCapturedStdout();
    return code;
  }

  tests::TemporaryDirectory directory_;
  std::string id_ = tests::sample_regression().id;
  std::string output_;
  std::string refusal_;
};

TEST_F(RecordCommands, AcknowledgeInTheStoreAndInTheFiles) {
  EXPECT_EQ(run({"ack", id_.substr(0, 6), "--by", "ada", "--reason", "on it"}), 0) << refusal_;
  EXPECT_EQ(output_, id_ + " is now acknowledged: softmax/1000 8.1 % slower since 44444444\n");
  const Record record = stored();
  EXPECT_EQ(record.state, RecordState::acknowledged);
  EXPECT_EQ(record.life.back().by, "ada");
  EXPECT_EQ(record.life.back().reason, "on it");
  EXPECT_GT(record.life.back().at, 1'700'000'000);
  std::stringstream json;
  json << std::ifstream(directory_.path() / "reports" / id_ / "report.json").rdbuf();
  tests::expect_same(report::record_from_json(json.str()), record);
  std::stringstream markdown;
  markdown << std::ifstream(directory_.path() / "reports" / id_ / "report.md").rdbuf();
  EXPECT_EQ(markdown.str(), report::record_markdown(record));
}

TEST_F(RecordCommands, DismissWithAReasonAndReopen) {
  EXPECT_EQ(run({"dismiss", id_, "--as", "accepted", "--reason", "worth it"}), 0) << refusal_;
  EXPECT_EQ(stored().state, RecordState::accepted);
  EXPECT_EQ(stored().life.back().by, user_name());
  EXPECT_EQ(run({"reopen", id_}), 0) << refusal_;
  EXPECT_EQ(stored().state, RecordState::open);
  EXPECT_EQ(run({"dismiss", id_, "--reason", "noise", "--as", "false_alarm"}), 0) << refusal_;
  EXPECT_EQ(stored().state, RecordState::false_alarm);
  EXPECT_EQ(stored().life.size(), 4u);
}

TEST_F(RecordCommands, RefuseWithASentenceAndChangeNothing) {
  EXPECT_EQ(run({"dismiss", id_, "--as", "accepted"}), 2);
  EXPECT_NE(refusal_.find("--reason"), std::string::npos) << refusal_;
  EXPECT_EQ(run({"dismiss", id_, "--as", "boring", "--reason", "x"}), 2);
  EXPECT_NE(refusal_.find("accepted or false_alarm"), std::string::npos) << refusal_;
  EXPECT_EQ(run({"dismiss", id_, "--reason", "x"}), 2);
  EXPECT_NE(refusal_.find("--as"), std::string::npos) << refusal_;
  EXPECT_EQ(run({"ack"}), 2);
  EXPECT_EQ(run({"ack", "0000000000000000"}), 2);
  EXPECT_EQ(refusal_, "there is no report 0000000000000000; tandem report lists them");
  EXPECT_EQ(run({"reopen", id_}), 2);
  EXPECT_EQ(refusal_, id_ + " is open already");
  EXPECT_EQ(run({"ack", tests::sample_improvement().id}), 2);
  EXPECT_NE(refusal_.find("is a note"), std::string::npos) << refusal_;
  EXPECT_EQ(stored().life.size(), 1u);
  EXPECT_FALSE(fs::exists(directory_.path() / "reports" / id_));
}

TEST_F(RecordCommands, MakeNoStoreWhereThereIsNone) {
  fs::remove(file());
  EXPECT_EQ(run({"ack", id_}), 2);
  EXPECT_NE(refusal_.find("no daemon has run"), std::string::npos) << refusal_;
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(RecordCommands, AskForAnotherConfirmation) {
  EXPECT_EQ(run({"rerun", id_, "--by", "ada"}), 0) << refusal_;
  EXPECT_TRUE(output_.starts_with("queued as 1; tandem queue --list shows what came of it\n")) << output_;
  EXPECT_EQ(run({"rerun", id_}), 0);
  EXPECT_TRUE(output_.starts_with("waits already as 1")) << output_;
  const auto waiting = Store(file(), Store::Mode::read).waiting_requests();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].kind, Request::Kind::rerun);
  EXPECT_EQ(waiting[0].record, id_);
  EXPECT_EQ(waiting[0].key, tests::sample_regression().key);
  EXPECT_EQ(waiting[0].by, "ada");
  EXPECT_EQ(stored().state, RecordState::open);
}

TEST_F(RecordCommands, ListWhatGotWorseAndWithAllTheRest) {
  EXPECT_EQ(run({}), 0);
  EXPECT_NE(output_.find(id_), std::string::npos);
  EXPECT_EQ(output_.find(tests::sample_improvement().id), std::string::npos);
  EXPECT_EQ(run({"--all"}), 0);
  EXPECT_NE(output_.find(tests::sample_improvement().id), std::string::npos);
  EXPECT_EQ(run({id_, "--json"}), 0);
  tests::expect_same(report::record_from_json(output_), tests::sample_regression());
  Store(file(), Store::Mode::write).save_records({}, {{id_, [](Record record) {
                                                         record.state = RecordState::superseded;
                                                         return record;
                                                       }}});
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(output_, "no records\n");
}

}  // namespace
}  // namespace tandem::daemon::commands
