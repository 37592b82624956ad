// Downloads from a real server over loopback, which behaves and misbehaves as the path says.
#include "specs/files/download.hpp"

#include "model_files_fixture.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t size = 200'000;
constexpr std::size_t half = size / 2;
const std::string rest_range = "bytes=" + std::to_string(half) + "-";

class DownloadTest : public ModelFilesTest {
 protected:
  DownloadTest() : content_(serve("net", size)) {}

  void expect_content(const fs::path& file, const std::string& content) const {
    EXPECT_EQ(file, place());
    EXPECT_TRUE(content_of(file) == content) << "the content differs";
    EXPECT_FALSE(fs::exists(part()));
    EXPECT_FALSE(fs::exists(part().string() + ".from"));
  }

  std::string content_;
};

TEST_F(DownloadTest, BringsAFileToItsPlaceInTheCache) {
  for (const char* path : {"/plain/net", "/ranges/net", "/chunked/net"}) {
    fs::remove_all(settings_.cache);
    expect_content(provide(at(path)), content_);
  }
}

TEST_F(DownloadTest, BringsAnEmptyFile) {
  serve("empty", 0);
  expect_content(provide(at("/ranges/empty")), "");
}

TEST_F(DownloadTest, TellsHowFarItIs) {
  std::vector<DownloadProgress> seen;
  static_cast<void>(try_provide(at("/ranges/net"), [&](const auto& progress) { seen.push_back(progress); }));
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().file, "graph.pb");
  EXPECT_EQ(seen.back().done, size);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), [](auto& a, auto& b) { return a.done < b.done; }));
  for (const auto& progress : seen) EXPECT_EQ(progress.total, size);
}

TEST_F(DownloadTest, TellsNoTotalThatNobodySaid) {
  std::optional<DownloadProgress> last;
  static_cast<void>(try_provide(at("/chunked/net"), [&](const auto& progress) { last = progress; }));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->done, size);
  EXPECT_EQ(last->total, std::nullopt);
}

TEST_F(DownloadTest, GoesOnWhereACutConnectionEnded) {
  expect_content(provide(at("/cut/2/net")), content_);
  EXPECT_EQ(requests(), "/cut/2/net - 200\n/cut/2/net " + rest_range +
                            " 206\n/cut/2/net bytes=" + std::to_string(half + half / 2) + "- 206\n");
}

TEST_F(DownloadTest, TriesAgainAfterACutAnswerWithoutALength) {
  expect_content(provide(at("/cut_chunked/1/net")), content_);
  EXPECT_EQ(request_count(), 2u);
}

TEST_F(DownloadTest, GivesUpAfterItsTriesAndGoesOnTheNextTime) {
  settings_.tries = 2;
  const FileFailure failure = fail(at("/cut/2/net"));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("in 2 tries"), std::string::npos) << failure.what;
  EXPECT_EQ(fs::file_size(part()), half + half / 2);
  expect_content(provide(at("/cut/2/net")), content_);
}

TEST_F(DownloadTest, GoesOnWithWhatAStoppedProcessLeft) {
  for (const char* kind : {"/ranges", "/dated"}) {
    fs::remove_all(settings_.cache);
    const FileSpec file = at(std::string(kind) + "/net?half");
    interrupt_at_half(file, half);
    expect_content(provide(file), content_);
    EXPECT_TRUE(requests().ends_with("?half " + rest_range + " 206\n")) << requests();
  }
}

TEST_F(DownloadTest, BeginsAnewIfTheFileHasChanged) {
  for (const char* kind : {"/ranges", "/dated"}) {
    fs::remove_all(settings_.cache);
    serve("net", size);
    fs::last_write_time(served() / "net", fs::file_time_type::clock::now() - std::chrono::hours(1));
    const FileSpec file = at(std::string(kind) + "/net?half");
    interrupt_at_half(file, half);
    const std::string other = serve("net", half / 2, 2);  // what was there is longer
    server_.get("/open");
    expect_content(provide(file), other);
    EXPECT_TRUE(requests().ends_with("?half " + rest_range + " 200\n")) << requests();
    server_.restart();
  }
}

TEST_F(DownloadTest, BeginsAnewWhereTheServerKnowsNoRanges) {
  const FileSpec file = at("/no_ranges/net?half");
  interrupt_at_half(file, half);
  server_.get("/open");
  expect_content(provide(file), content_);
  EXPECT_TRUE(requests().ends_with("?half " + rest_range + " 200\n")) << requests();
}

TEST_F(DownloadTest, BeginsAnewWhereTheServerRefusesOrShiftsTheRange) {
  settings_.tries = 2;
  for (const char* kind : {"/refuses_range", "/shifts_range"}) {
    fs::remove_all(settings_.cache);
    const FileSpec file = at(std::string(kind) + "/net?half");
    interrupt_at_half(file, half);
    server_.get("/open");
    expect_content(provide(file), content_);
    EXPECT_TRUE(requests().ends_with("?half - 200\n")) << requests();
    server_.restart();
  }
}

TEST_F(DownloadTest, BeginsAnewWhereNothingNamesTheVersion) {
  for (const char* kind : {"/plain", "/weak"}) {
    fs::remove_all(settings_.cache);
    const FileSpec file = at(std::string(kind) + "/net?half");
    interrupt_at_half(file, half);
    server_.get("/open");
    expect_content(provide(file), content_);
    EXPECT_EQ(requests().find("bytes="), std::string::npos) << requests();
    server_.restart();
  }
}

TEST_F(DownloadTest, BeginsAnewFromAnotherAddress) {
  interrupt_at_half(at("/ranges/net?half"), half);
  const std::string other = serve("other", size, 2);
  expect_content(provide(at("/ranges/other")), other);
  EXPECT_TRUE(requests().ends_with("/ranges/other - 200\n")) << requests();
}

TEST_F(DownloadTest, AsksForNothingIfOnlyTheLastStepWasMissing) {
  const FileSpec file = at("/ranges/net?half");
  interrupt_at_half(file, half);
  std::ofstream(part(), std::ios::binary | std::ios::app) << content_.substr(half);
  expect_content(provide(file), content_);
  EXPECT_EQ(request_count(), 1u);
}

TEST_F(DownloadTest, TakesAnAnswerThatSaysNoAsFinal) {
  const std::pair<const char*, const char*> cases[] = {
      {"/ranges/missing", "answered 404, there is no such file"},
      {"/forbidden", "answered 403, this host may not read it"},
      {"/empty_answer", "answered 204"}};
  std::size_t asked = 0;
  for (const auto& [path, words] : cases) {
    const FileFailure failure = fail(at(path));
    EXPECT_EQ(failure.reason, Reason::wrong);
    EXPECT_NE(failure.what.find(words), std::string::npos) << failure.what;
    EXPECT_NE(failure.what.find("graph.pb"), std::string::npos) << failure.what;
    EXPECT_EQ(request_count(), ++asked);
  }
}

TEST_F(DownloadTest, TriesAgainWhenTheServerHasABadMoment) {
  expect_content(provide(at("/fails/2/net")), content_);
  EXPECT_EQ(request_count(), 3u);
  fs::remove_all(settings_.cache);
  expect_content(provide(at("/busy/1/net")), content_);
}

TEST_F(DownloadTest, SaysWhatAServerThatStaysBadAnswered) {
  const FileFailure failure = fail(at("/fails/3/net"));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("in 3 tries: the server answered 500"), std::string::npos) << failure.what;
  EXPECT_EQ(request_count(), 3u);
}

TEST_F(DownloadTest, GivesUpOnAServerThatSaysNothing) {
  settings_.stall = std::chrono::seconds{1};
  settings_.tries = 1;
  const FileFailure failure = fail(at("/hangs/net"));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("nothing came for 1 s"), std::string::npos) << failure.what;
}

TEST_F(DownloadTest, GoesOnAfterABodyThatStalls) {
  settings_.stall = std::chrono::seconds{1};
  expect_content(provide(at("/ranges/net?half")), content_);
  EXPECT_TRUE(requests().ends_with("?half " + rest_range + " 206\n")) << requests();
}

TEST_F(DownloadTest, StopsWhileTheServerHangs) {
  settings_.stall = std::chrono::hours{1};
  std::stop_source stop;
  std::jthread stopping([&] {
    wait_for_requests(1);
    stop.request_stop();
  });
  const FileFailure failure = failure_of(try_provide(at("/hangs/net"), {}, stop.get_token()));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("stopped"), std::string::npos) << failure.what;
}

TEST_F(DownloadTest, StopsBetweenTwoTries) {
  settings_.tries = 1'000'000;
  std::stop_source stop;
  std::jthread stopping([&] {
    wait_for_requests(2);
    stop.request_stop();
  });
  EXPECT_NE(failure_of(try_provide(at("/fails/1000000/net"), {}, stop.get_token())).what.find("stopped"),
            std::string::npos);
}

TEST_F(DownloadTest, FollowsUpToTenRedirects) {
  expect_content(provide(at("/redirect/10/ranges/net")), content_);
  EXPECT_EQ(request_count(), 11u);
}

TEST_F(DownloadTest, DoesNotFollowForEver) {
  for (const char* path : {"/redirect/11/ranges/net", "/loop"}) {
    const FileFailure failure = fail(at(path));
    EXPECT_EQ(failure.reason, Reason::wrong);
    EXPECT_NE(failure.what.find("redirects more than 10 times"), std::string::npos) << failure.what;
  }
  EXPECT_EQ(request_count(), 22u);
}

TEST_F(DownloadTest, IsNotLedToAnotherScheme) {
  for (const char* to : {"file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/x"}) {
    const FileFailure failure = fail(at(std::string("/elsewhere?") + to));
    EXPECT_EQ(failure.reason, Reason::wrong);
    EXPECT_NE(failure.what.find("points to " + std::string(to)), std::string::npos) << failure.what;
  }
}

TEST_F(DownloadTest, GoesOnThroughARedirect) {
  settings_.tries = 1;
  static_cast<void>(fail(at("/redirect/1/cut/1/net")));
  expect_content(provide(at("/redirect/1/cut/1/net")), content_);
  EXPECT_TRUE(requests().ends_with("/cut/1/net " + rest_range + " 206\n")) << requests();
}

TEST_F(DownloadTest, SaysThatTheDiskIsTooSmall) {
  const FileFailure failure = fail(at("/boasts/net"));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("1152921504606846976 bytes are to come"), std::string::npos) << failure.what;
  EXPECT_EQ(fs::file_size(part()), 0u);
  EXPECT_EQ(request_count(), 1u);
}

TEST_F(DownloadTest, FailsWhileTheServerIsAwayAndSucceedsAfterwards) {
  const FileSpec file = at("/ranges/net?half");
  interrupt_at_half(file, half);
  server_.stop();
  const FileFailure failure = fail(file);
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("in 3 tries"), std::string::npos) << failure.what;
  server_.restart();
  expect_content(provide(file), content_);
  EXPECT_EQ(requests(), "/ranges/net?half " + rest_range + " 206\n");
}

TEST_F(DownloadTest, RefusesAnAddressThatIsNone) {
  for (const char* url : {"http://", "http://127.0.0.1:99999999/net", "http://127.0.0.1/a net"}) {
    EXPECT_EQ(fail(at_url(url)).reason, Reason::wrong) << url;
  }
}

TEST_F(DownloadTest, TellsAndKeepsNoPassword) {
  const std::string address = "127.0.0.1:" + std::to_string(server_.port());
  const FileSpec file = at_url("http://me:password@" + address + "/missing?password");
  EXPECT_EQ(fail(file).what.find("password"), std::string::npos);
  static_cast<void>(provide(at_url("http://me:password@" + address + "/ranges/net?password")));
  for (const auto& entry : fs::recursive_directory_iterator(settings_.cache)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(content_of(entry.path()).find("password"), std::string::npos) << entry.path();
  }
}

}  // namespace
}  // namespace tandem::specs
