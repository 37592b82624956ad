// Several threads and processes that want one file at the same moment.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "model_files_fixture.hpp"
#include "specs/files/cached_file.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t size = 100'000;

class SharedDownloadTest : public ModelFilesTest {
 protected:
  SharedDownloadTest() : content_(serve("net", size)), file_(at("/ranges/net?half")) {
    file_.sha256 = digests_of(content_).sha256;
  }

  /// A process that provides the file and exits with 0 if it could.
  pid_t another_process() const {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(std::holds_alternative<fs::path>(try_provide(file_)) ? 0 : 1);
    return child;
  }

  static int status_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }

  void wait_for_half() const {
    std::error_code ignored;
    while (fs::file_size(part(), ignored) != size / 2) std::this_thread::yield();
  }

  void expect_one_download_for_all() {
    std::array<std::thread, 6> threads;
    for (std::thread& thread : threads) {
      thread = std::thread([this] { EXPECT_TRUE(content_of(provide(file_)) == content_); });
    }
    wait_for_half();
    server_.get("/open");
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(request_count(), 1u) << requests();
  }

  std::string content_;
  FileSpec file_;
};

TEST_F(SharedDownloadTest, ThreadsShareOneDownload) {
  expect_one_download_for_all();
}

TEST_F(SharedDownloadTest, ThreadsShareOneDownloadWithoutADigest) {
  file_.sha256.clear();
  expect_one_download_for_all();
}

TEST_F(SharedDownloadTest, ProcessesShareOneDownload) {
  std::array<pid_t, 4> children{};
  for (pid_t& child : children) child = another_process();
  wait_for_half();
  server_.get("/open");
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  EXPECT_TRUE(content_of(place()) == content_);
  EXPECT_EQ(request_count(), 1u) << requests();
}

TEST_F(SharedDownloadTest, GoesOnWithWhatAKilledProcessLeft) {
  const pid_t child = another_process();
  wait_for_half();
  ::kill(child, SIGKILL);
  EXPECT_EQ(status_of(child), SIGKILL);
  EXPECT_FALSE(fs::exists(place()));
  EXPECT_TRUE(content_of(provide(file_)) == content_);
  EXPECT_TRUE(requests().ends_with("?half bytes=" + std::to_string(size / 2) + "- 206\n")) << requests();
}

TEST_F(SharedDownloadTest, AWaiterGoesOnWhenTheOtherIsKilled) {
  const pid_t child = another_process();
  wait_for_half();
  std::jthread waiter([this] { EXPECT_TRUE(content_of(provide(file_)) == content_); });
  ::kill(child, SIGKILL);
  EXPECT_EQ(status_of(child), SIGKILL);
}

TEST_F(SharedDownloadTest, AWaiterStops) {
  fs::create_directories(place().parent_path());
  const auto held = lock_cached(place(), {});
  ASSERT_TRUE(held);
  std::stop_source stop;
  std::jthread stopping([&] { stop.request_stop(); });
  const FileFailure failure = failure_of(try_provide(file_, {}, stop.get_token()));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("stopped"), std::string::npos) << failure.what;
  EXPECT_EQ(request_count(), 0u);
}

TEST_F(SharedDownloadTest, AReaderOfARightFileWaitsForNobody) {
  server_.get("/open");
  static_cast<void>(provide(file_));
  const auto held = lock_cached(place(), {});
  ASSERT_TRUE(held);
  EXPECT_EQ(provide(file_), place());
}

TEST_F(SharedDownloadTest, FilesOfOneModelDoNotWaitForEachOther) {
  std::jthread slow([this] { EXPECT_TRUE(content_of(provide(file_)) == content_); });
  wait_for_half();
  FileSpec other = at("/ranges/net");
  other.filename = "weights.pb";
  EXPECT_TRUE(content_of(provide(other)) == content_);
  server_.get("/open");
}

}  // namespace
}  // namespace tandem::specs
