#include "model_files_fixture.hpp"
#include "specs/files/cached_file.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;

class CacheTest : public ModelFilesTest {
 protected:
  CacheTest() : content_(serve("net", 10'000)) {}

  [[nodiscard]] FileSpec checked(const std::string& path, const std::string& content) const {
    FileSpec file = at(path);
    file.md5 = digests_of(content).md5;
    file.sha256 = digests_of(content).sha256;
    return file;
  }

  /// One byte of the cached file.
  void damage() const {
    std::string content = content_;
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] + 1);
    write(place(), content);
  }

  void make_older(const fs::path& file) const {
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::seconds(10));
  }

  void expect_provided(const FileSpec& file, const std::string& content) const {
    EXPECT_EQ(provide(file), place());
    EXPECT_TRUE(content_of(place()) == content) << "the content differs";
  }

  std::string content_;
};

TEST_F(CacheTest, AsksTheServerOnce) {
  for (int use = 0; use < 3; ++use) {
    expect_provided(at("/ranges/net"), content_);
    expect_provided(checked("/ranges/net", content_), content_);
  }
  EXPECT_EQ(request_count(), 1u);
}

TEST_F(CacheTest, ChecksEachDigestThatIsGiven) {
  const Digests right = digests_of(content_);
  const Digests other = digests_of("another file");
  const std::pair<Digests, std::string> wrong[] = {
      {{other.md5, ""}, "its md5 is " + right.md5 + " and not " + other.md5},
      {{"", other.sha256}, "its sha256 is " + right.sha256 + " and not " + other.sha256},
      {{right.md5, other.sha256}, "its sha256 is " + right.sha256 + " and not " + other.sha256},
      {{other.md5, right.sha256}, "its md5 is " + right.md5 + " and not " + other.md5}};
  for (const auto& [digests, words] : wrong) {
    FileSpec file = at("/ranges/net");
    file.md5 = digests.md5;
    file.sha256 = digests.sha256;
    const FileFailure failure = fail(file);
    EXPECT_EQ(failure.reason, Reason::wrong);
    EXPECT_NE(failure.what.find(words), std::string::npos) << failure.what;
    EXPECT_FALSE(fs::exists(place()));
    EXPECT_FALSE(fs::exists(part()));
  }
  expect_provided(checked("/ranges/net", content_), content_);
}

TEST_F(CacheTest, SaysWhereTheSpecIsWrongAndLeavesItAsItIs) {
  FileSpec file = checked("/ranges/net", "another file");
  file.file = directory_.path() / "model.json";
  file.where = {3, 7};
  write(file.file, "the spec");
  const FileFailure failure = fail(file);
  EXPECT_TRUE(failure.what.starts_with(file.file + ":3:7: graph.pb: ")) << failure.what;
  EXPECT_EQ(content_of(file.file), "the spec");
}

TEST_F(CacheTest, FetchesADamagedFileAgain) {
  const FileSpec file = checked("/ranges/net", content_);
  expect_provided(file, content_);
  damage();
  make_older(place());
  expect_provided(file, content_);
  EXPECT_EQ(request_count(), 2u);
}

TEST_F(CacheTest, FindsDamageUnderAnOldTime) {
  const FileSpec file = checked("/ranges/net", content_);
  expect_provided(file, content_);
  make_older(place());
  expect_provided(file, content_);
  const fs::file_time_type time = fs::last_write_time(place());
  const auto before = stamp_of(place());
  do {  // the clock of a file system ticks every few milliseconds
    damage();
    fs::last_write_time(place(), time);
  } while (stamp_of(place()) == before);
  EXPECT_EQ(stamp_of(place())->modified, before->modified);
  expect_provided(file, content_);
  EXPECT_EQ(request_count(), 2u);
}

TEST_F(CacheTest, KeepsAFileWhoseTimeAloneHasChanged) {
  const FileSpec file = checked("/ranges/net", content_);
  expect_provided(file, content_);
  make_older(place());
  expect_provided(file, content_);
  EXPECT_EQ(request_count(), 1u);
  EXPECT_EQ(read_record(place())->stamp, stamp_of(place()));
}

TEST_F(CacheTest, DoesNotReadAFileAgainThatItHasChecked) {
  const FileSpec file = checked("/ranges/net", content_);
  expect_provided(file, content_);
  damage();
  // As if the damaged file had been found right: only one who does not look again believes it.
  write_record(place(), {*stamp_of(place()), {file.md5, file.sha256}, ""});
  EXPECT_EQ(provide(file), place());
  EXPECT_EQ(request_count(), 1u);
}

TEST_F(CacheTest, ReadsAFileForADigestItHasNotChecked) {
  FileSpec file = checked("/ranges/net", content_);
  file.sha256.clear();
  expect_provided(file, content_);
  damage();
  write_record(place(), {*stamp_of(place()), {file.md5, ""}, ""});
  expect_provided(checked("/ranges/net", content_), content_);
  EXPECT_EQ(request_count(), 2u);
}

TEST_F(CacheTest, LooksForItselfIfItsNotesAreUnreadable) {
  const FileSpec file = checked("/ranges/net", content_);
  expect_provided(file, content_);
  for (const char* notes : {"", "nonsense", "tandem checked 1\n12 x", "tandem checked 1\n1 2 3 4\n- -"}) {
    write(place().string() + ".checked", notes);
    EXPECT_EQ(read_record(place()), std::nullopt);
    expect_provided(file, content_);
  }
  EXPECT_EQ(request_count(), 1u);
}

TEST_F(CacheTest, FetchesAnotherVersionThatTheSpecAsksFor) {
  expect_provided(checked("/ranges/net", content_), content_);
  const std::string newer = serve("net", 12'000, 2);
  expect_provided(checked("/ranges/net", newer), newer);
  expect_provided(checked("/ranges/net", newer), newer);
  EXPECT_EQ(request_count(), 2u);
}

TEST_F(CacheTest, KeepsTheOldVersionWhenTheNewOneIsNotRight) {
  expect_provided(checked("/ranges/net", content_), content_);
  EXPECT_EQ(fail(checked("/ranges/net", "something else")).reason, Reason::wrong);
  EXPECT_EQ(request_count(), 2u);
  expect_provided(checked("/ranges/net", content_), content_);
  EXPECT_EQ(request_count(), 2u);
}

TEST_F(CacheTest, FetchesAgainWithoutADigestIfItIsShorterOrFromElsewhere) {
  expect_provided(at("/ranges/net"), content_);
  fs::resize_file(place(), 100);
  expect_provided(at("/ranges/net"), content_);
  EXPECT_EQ(request_count(), 2u);
  const std::string other = serve("other", 10'000, 2);
  expect_provided(at("/ranges/other"), other);
}

TEST_F(CacheTest, UsesAFileThatAPersonPutThere) {
  write(place(), content_);
  expect_provided(at("/ranges/net"), content_);
  expect_provided(checked("/ranges/net", content_), content_);
  expect_provided(at("/ranges/net"), content_);
  EXPECT_EQ(request_count(), 0u);
}

TEST_F(CacheTest, UsesARightFileWhereItMayWriteNothing) {
  write(place(), content_);
  for (const char* note : {".lock", ".checked", ".checked.part"})
    fs::create_directories(place().string() + note);
  expect_provided(checked("/ranges/net", content_), content_);
  const FileFailure failure = fail(checked("/ranges/net", "another file"));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("cannot open"), std::string::npos) << failure.what;
  EXPECT_EQ(request_count(), 0u);
}

TEST_F(CacheTest, BeginsAnewIfContinuedPiecesDoNotFit) {
  const FileSpec file = checked("/ranges/net?half", content_);
  interrupt_at_half(file, content_.size() / 2);
  write(part(), std::string(content_.size() / 2, 'x'));
  server_.get("/open");
  expect_provided(file, content_);
  EXPECT_EQ(request_count(), 3u) << requests();
}

TEST_F(CacheTest, SaysThatItCannotWrite) {
  write(settings_.cache, "a file where the cache should be");
  EXPECT_EQ(fail(at("/ranges/net")).reason, Reason::unavailable);
}

TEST_F(CacheTest, RefusesDigestsThatAreNone) {
  FileSpec file = at("/ranges/net");
  file.md5 = "abc";
  EXPECT_NE(fail(file).what.find("write 32 hexadecimal digits"), std::string::npos);
  file.md5 = "directory";
  EXPECT_EQ(fail(file).reason, Reason::wrong);
  file.md5 = "";
  file.sha256 = digests_of("").md5;
  EXPECT_NE(fail(file).what.find("write 64 hexadecimal digits"), std::string::npos);
  EXPECT_EQ(request_count(), 0u);
}

TEST_F(CacheTest, UsesLocalFilesWhereTheyAre) {
  settings_.root_model_dir = served();
  const fs::path there = fs::canonical(served() / "net");
  for (const std::string& location :
       {there.string(), "file://" + there.string(), std::string("//net"), std::string("served/net")}) {
    FileSpec file = checked("/", content_);
    file.location = location;
    file.file = directory_.path() / "model.json";
    EXPECT_EQ(fs::canonical(provide(file)), there) << location;
    file.md5 = file.sha256 = "";
    EXPECT_EQ(fs::canonical(provide(file)), there) << location;
  }
  EXPECT_FALSE(fs::exists(settings_.cache));
}

TEST_F(CacheTest, ChecksLocalFilesOnEachUse) {
  FileSpec file = checked("/", content_);
  file.location = served() / "net";
  EXPECT_EQ(provide(file), served() / "net");
  serve("net", 10'000, 2);
  const FileFailure failure = fail(file);
  EXPECT_EQ(failure.reason, Reason::wrong);
  EXPECT_NE(failure.what.find("and not " + file.sha256), std::string::npos) << failure.what;
}

TEST_F(CacheTest, UsesAFolderWhereItIs) {
  FileSpec file = at_url(served());
  EXPECT_EQ(provide(file), served());
  file.md5 = "directory";
  EXPECT_EQ(provide(file), served());
  file.md5 = digests_of("").md5;
  EXPECT_NE(fail(file).what.find("write \"directory\" as its md5"), std::string::npos);
}

TEST_F(CacheTest, RefusesAFileThatShouldBeAFolder) {
  FileSpec file = at_url(served() / "net");
  file.md5 = "directory";
  EXPECT_EQ(fail(file).reason, Reason::wrong);
}

TEST_F(CacheTest, StopsBeforeItReads) {
  std::stop_source stop;
  stop.request_stop();
  FileSpec local = checked("/", content_);
  local.location = served() / "net";
  for (const FileSpec& file : {local, checked("/ranges/net", content_), at("/ranges/net")}) {
    EXPECT_NE(failure_of(try_provide(file, {}, stop.get_token())).what.find("stopped"), std::string::npos);
  }
  EXPECT_EQ(request_count(), 0u);
}

}  // namespace
}  // namespace tandem::specs
