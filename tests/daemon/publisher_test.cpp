#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "daemon/report/sample_record.hpp"
#include "daemon/walk/publish.hpp"
#include "specs/foundation/error.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The message with which writing fails.
std::string refusal(const fs::path& file, const std::string& text) {
  try {
    write_by_rename(file, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "written";
}

/// No file of this process may grow beyond so many bytes; the stand-in for a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(::signal(SIGXFSZ, handler_));
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST(WriteByRename, ReplacesTheFileAsAWhole) {
  const tests::TemporaryDirectory directory;
  const fs::path file = directory.path() / "status.json";
  write_by_rename(file, "a long first text");
  std::ifstream reader(file);
  write_by_rename(file, "second");
  EXPECT_EQ(read(file), "second");
  std::string seen;
  std::getline(reader, seen);
  EXPECT_EQ(seen, "a long first text") << "whoever reads the old one reads it to its end";
  EXPECT_EQ(tests::entries(directory.path()), 1u) << "nothing is left beside it";
}

TEST(WriteByRename, WritesAnEmptyText) {
  const tests::TemporaryDirectory directory;
  write_by_rename(directory.path() / "empty", "");
  EXPECT_TRUE(fs::exists(directory.path() / "empty"));
}

TEST(WriteByRename, NamesTheFileThatCannotBeWritten) {
  const tests::TemporaryDirectory directory;
  const fs::path file = directory.path() / "no" / "such" / "status.json";
  const std::string message = refusal(file, "text");
  EXPECT_NE(message.find(file.string()), std::string::npos) << message;
  EXPECT_NE(message.find("No such file or directory"), std::string::npos) << message;
}

TEST(WriteByRename, LeavesNothingBesideAFileThatCannotBeReplaced) {
  const tests::TemporaryDirectory directory;
  const fs::path file = directory.path() / "taken";
  fs::create_directories(file / "by a directory");
  const std::string message = refusal(file, "text");
  EXPECT_NE(message.find(file.string()), std::string::npos) << message;
  EXPECT_EQ(tests::entries(directory.path()), 1u);
}

TEST(WriteByRename, KeepsTheOldFileWhenTheDiskIsFull) {
  const tests::TemporaryDirectory directory;
  const fs::path file = directory.path() / "status.json";
  write_by_rename(file, "old");
  std::string message;
  {
    const FileSizeLimit limit(1024);
    message = refusal(file, std::string(4096, 'x'));
  }
  EXPECT_NE(message.find(file.string()), std::string::npos) << message;
  EXPECT_EQ(read(file), "old");
  EXPECT_EQ(tests::entries(directory.path()), 1u);
}

TEST(APublisher, WritesAReportIntoAFolderOfItsOwn) {
  const tests::TemporaryDirectory directory;
  const Publisher publisher(directory.path());
  const Record record = tests::sample_regression();
  publisher.publish(record, "{}\n", "# Report\n");
  const fs::path folder = directory.path() / "reports" / record.id;
  EXPECT_EQ(read(folder / "report.json"), "{}\n");
  EXPECT_EQ(read(folder / "report.md"), "# Report\n");
  EXPECT_EQ(tests::entries(folder), 2u);
}

TEST(APublisher, MakesTheStateDirectory) {
  const tests::TemporaryDirectory directory;
  const Publisher publisher(directory.path() / "a" / "b");
  publisher.publish_status("{}\n");
  EXPECT_EQ(read(directory.path() / "a" / "b" / "status.json"), "{}\n");
}

TEST(APublisher, NamesAStateDirectoryThatCannotBeMade) {
  const tests::TemporaryDirectory directory;
  std::ofstream(directory.path() / "file") << "in the way";
  try {
    const Publisher publisher(directory.path() / "file");
    FAIL() << "a file served as a directory";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find((directory.path() / "file").string()), std::string::npos);
  }
}

TEST(APublisher, SaysOfANewReportThatTheStoreDoesNotKnowItYet) {
  const tests::TemporaryDirectory directory;
  const Publisher publisher(directory.path(), "store 1");
  const Record record = tests::sample_regression();
  publisher.publish(record, "{}", "");
  EXPECT_EQ(publisher.unsaved_by(record.id), "store 1");
  publisher.saved({record});
  EXPECT_EQ(publisher.unsaved_by(record.id), "");
  publisher.publish(record, "{ }", "");
  EXPECT_EQ(publisher.unsaved_by(record.id), "") << "a known one that is published again";
}

TEST(APublisher, WithdrawsAReportAndNothingElse) {
  const tests::TemporaryDirectory directory;
  const Publisher publisher(directory.path(), "store 1");
  const Record one = tests::sample_regression();
  const Record other = tests::sample_improvement();
  publisher.publish(one, "{}", "");
  publisher.publish(other, "{}", "");
  const fs::path reports = directory.path() / "reports";
  std::ofstream(reports / other.id / "notes") << "mine";
  publisher.withdraw(one.id);
  publisher.withdraw(other.id);
  EXPECT_FALSE(fs::exists(reports / one.id));
  EXPECT_EQ(read(reports / other.id / "notes"), "mine");
  EXPECT_EQ(tests::entries(reports / other.id), 1u);
}

}  // namespace
}  // namespace tandem::daemon
