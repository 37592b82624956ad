#include <fmt/format.h>

#include <fstream>
#include <functional>

#include "builders/layout/link_capture.hpp"
#include "builders/layout/linker/link_record.hpp"
#include "relink_fixture.hpp"

namespace tandem::builders {
namespace {

class LinkCaptureFaultsTest : public RelinkTest {
 protected:
  /// Writes a finished capture as a hostile build could, for the program in `out` with this build id.
  fs::path forge(const LinkRecord& record, const std::string& arguments) const {
    const fs::path place = captures_ / "link-99999999999999999999-1";
    fs::create_directories(place);
    write_record(place / record_name, record);
    std::ofstream(place / arguments_name) << arguments;
    return place;
  }

  /// The record of the one program that was built.
  LinkRecord only_record() const {
    for (const auto& entry : fs::directory_iterator(captures_)) {
      if (auto record = record_from(read(entry.path() / record_name))) return *record;
    }
    return {};
  }
};

TEST_F(LinkCaptureFaultsTest, AKilledLinkLeavesNothingThatIsTaken) {
  write_program("main.cpp", 10);
  // An lld that reaches half of its archive and is killed with the wrapper.
  write_source(
      "ld.lld",
      "#!/bin/sh\nfor word; do case $word in --reproduce=*) head -c 5000 /dev/zero >${word#*=};; esac; done\n"
      "kill -9 $PPID\nsleep 60\n");
  const auto ended =
      build("chmod +x ld.lld && TANDEM_LINK_LLD=$PWD/ld.lld g++ $CXXFLAGS main.cpp -o $OUT/program");
  EXPECT_FALSE(ended.well);
  EXPECT_EQ(captured(), 0u);
  EXPECT_FALSE(fs::is_empty(captures_));
  EXPECT_EQ(collect().unresolved, "the build linked no program and no shared library of its own");
  EXPECT_TRUE(fs::is_empty(captures_));
}

TEST_F(LinkCaptureFaultsTest, ABuildWithoutRoomForCapturesStillLinks) {
  write_program("main.cpp", 10);
  const auto ended = build("TANDEM_LINK_DIR=$PWD/nowhere g++ $CXXFLAGS main.cpp -o $OUT/program");
  EXPECT_TRUE(ended.well) << ended.errors;
  EXPECT_TRUE(run(out_ / "program").well);
  EXPECT_EQ(collect().unresolved, "program was not linked by a linker that could be captured");
}

TEST_F(LinkCaptureFaultsTest, AForgedCaptureIsRefused) {
  write_program("main.cpp", 10);
  const std::string start = "program cannot be linked again: ";
  const auto refused = [&](const std::function<void(LinkRecord&)>& change, const std::string& arguments,
                           const std::function<void(const fs::path&)>& after = {}) {
    built("g++ $CXXFLAGS main.cpp -o $OUT/program");
    LinkRecord record = only_record();
    record.inputs = {"my/a.o"};
    change(record);
    const fs::path place = forge(record, arguments);
    std::ofstream(place / "0") << "\177ELF";
    if (after) after(place);
    return collect().unresolved;
  };
  EXPECT_EQ(refused([](LinkRecord& r) { r.inputs = {"../../etc/passwd"}; }, "my/a.o"),
            start + "its link has an input at '../../etc/passwd'");
  EXPECT_EQ(refused([](LinkRecord& r) { r.system = {"/etc/passwd"}; }, "my/a.o"),
            start + "its link has an input at '/etc/passwd'");
  EXPECT_EQ(refused([](LinkRecord& r) { r.system = {"usr/lib/none.so"}; }, "my/a.o"),
            start + "its link read /usr/lib/none.so, which is gone");
  EXPECT_EQ(refused([](LinkRecord&) {}, "my/a.o --error-handling-script=/bin/sh"),
            start + "its link has the option '--error-handling-script', which is not repeated");
  EXPECT_EQ(refused([](LinkRecord&) {}, "my/b.o"), start + "its link names 'my/b.o', which was not captured");
  const std::string not_whole = start + "the inputs of its link were not kept whole, or are too large";
  EXPECT_EQ(refused([](LinkRecord&) {}, "my/a.o", [](const fs::path& place) { fs::remove(place / "0"); }),
            not_whole);
  EXPECT_EQ(refused([](LinkRecord&) {}, "my/a.o",
                    [](const fs::path& place) {
                      fs::remove(place / "0");
                      fs::create_symlink("/etc/passwd", place / "0");
                    }),
            not_whole);
  EXPECT_EQ(refused([](LinkRecord&) {}, "my/a.o",
                    [](const fs::path& place) { fs::resize_file(place / "0", LinkCapture::most_bytes + 1); }),
            not_whole);
}

TEST_F(LinkCaptureFaultsTest, AFailedLinkFailsAsWithoutTheWrapper) {
  write_source("main.cpp", "int missing();\nint main() { return missing(); }\n");
  const auto ended = build("g++ main.cpp -o $OUT/program");
  EXPECT_FALSE(ended.well);
  EXPECT_NE(ended.errors.find("missing()"), std::string::npos) << ended.errors;
  EXPECT_NE(ended.errors.find("ld returned 1 exit status"), std::string::npos) << ended.errors;
  EXPECT_TRUE(fs::is_empty(captures_));
}

/// One entry of a ustar archive.
std::string tar_entry(const std::string& path, const std::string& content, char type = '0',
                      const std::string& size = {}) {
  std::string header(512, '\0');
  header.replace(0, path.size(), path);
  const std::string digits = size.empty() ? fmt::format("{:011o}", content.size()) : size;
  header.replace(124, digits.size(), digits);
  header[156] = type;
  header.replace(257, 5, "ustar");
  const std::string padding((512 - content.size() % 512) % 512, '\0');
  return header + content + padding;
}

std::string entries_of(const std::string& archive) {
  std::string all;
  for_each_entry(archive, [&](const std::string& path, std::string_view content) {
    all += fmt::format("{}={};", path, content);
  });
  return all;
}

TEST(ReproduceTar, IsReadWholeOrRefused) {
  const std::string end(1024, '\0');
  const std::string good =
      tar_entry("a/one", "1") + tar_entry("pax", "17 path=far/away\n", 'x') + tar_entry("short", "22");
  EXPECT_EQ(entries_of(good + end), "a/one=1;far/away=22;");
  for (std::size_t length = 0; length <= good.size(); length += 100) {
    EXPECT_THROW(entries_of(good.substr(0, length)), std::runtime_error) << length;
  }
  EXPECT_THROW(entries_of(tar_entry("link", "", '2') + end), std::runtime_error);
  EXPECT_THROW(entries_of(tar_entry("large", "1", '0', "77777777777") + end), std::runtime_error);
  EXPECT_THROW(entries_of(tar_entry("word", "1", '0', "size") + end), std::runtime_error);
  for (const char* pax : {"", "9", "99 path=a\n", "1 path=a\n", "path=a\n", "12 other=ab\n"}) {
    EXPECT_THROW(entries_of(tar_entry("pax", pax, 'x') + tar_entry("a", "1") + end), std::runtime_error)
        << pax;
  }
}

}  // namespace
}  // namespace tandem::builders
