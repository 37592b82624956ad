#include "specs/benchmark/build_section.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "specs/benchmark/spec.hpp"
#include "support/temporary_directory.hpp"
#include "tests/specs/messages.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;
using tests::message_of;
using Words = std::vector<std::string>;

class BuildSectionTest : public testing::Test {
 protected:
  BuildSectionTest() { write("bench.cpp", "int main() {}\n"); }

  fs::path write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.path() / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

  static std::string benchmarks(const std::string& more, const std::string& model = "") {
    return R"({"model": {"name": "m")" + model + R"(}, "tests": [{"metric": "delay", "identifier": "i", )" +
           R"("protocol": "sdk"}])" + more + "}";
  }

  LoadedSpecs loaded(const std::string& build) const {
    return load_benchmarks(write("spec.json", benchmarks(",\n\"build\": " + build)));
  }

  std::string error(const std::string& build) const {
    std::string message = message_of([&] { static_cast<void>(loaded(build)); });
    const std::string folder = folder_.path().string() + "/";
    for (auto at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
      message.erase(at, folder.size());
    }
    return message;
  }

  tests::TemporaryDirectory folder_;
};

TEST_F(BuildSectionTest, ReadsEveryField) {
  write("more/part.cpp", "");
  const auto section = loaded(R"({"target": "fmt-bench", "options": ["-DFMT_TEST=OFF", "-DA=b c"],
    "sources": ["bench.cpp", "./more//part.cpp"], "include": ["include/", "."], "libraries": ["fmt::fmt"],
    "standard": 17})")
                           .build.value();
  EXPECT_EQ(section.target, "fmt-bench");
  EXPECT_EQ(section.options, (Words{"-DFMT_TEST=OFF", "-DA=b c"}));
  EXPECT_EQ(section.sources, (Words{"bench.cpp", "more/part.cpp"}));
  EXPECT_EQ(section.include, (Words{"include", "."}));
  EXPECT_EQ(section.libraries, (Words{"fmt::fmt"}));
  EXPECT_EQ(section.standard, 17);
  EXPECT_EQ(section.folder, folder_.path());
  EXPECT_EQ(section.where.line, 2U);
}

TEST_F(BuildSectionTest, MayStandInTheModelOrNowhere) {
  const auto in_model =
      load_benchmarks(write("a.json", benchmarks("", R"(, "build": {"target": "t"})"))).build;
  EXPECT_EQ(in_model.value().target, "t");
  EXPECT_FALSE(load_benchmarks(write("b.json", benchmarks(""))).build);
  EXPECT_FALSE(load_benchmarks(write("c.json", benchmarks("", R"(, "build": "nightly")"))).build)
      << "a field of somebody else's";
}

TEST_F(BuildSectionTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error(R"({"targets": "t"})"),
            "spec.json:2:11: /build/targets: unknown key \"targets\"; did you mean \"target\"? allowed here: "
            "\"target\", \"options\", \"sources\", \"include\", \"libraries\", \"standard\"");
  EXPECT_EQ(error(R"({"target": 3})"), "spec.json:2:21: /build/target: found 3; expected a string");
  EXPECT_EQ(error(R"({"sources": "bench.cpp"})"),
            "spec.json:2:22: /build/sources: found the string \"bench.cpp\"; expected an array");
  EXPECT_EQ(
      error(R"({"standard": 18})"),
      "spec.json:2:23: /build/standard: found 18; expected a standard of C++: 11, 14, 17, 20, 23 or 26");
  EXPECT_EQ(error(R"({"options": ["-DA", "-DA"]})"),
            "spec.json:2:30: /build/options/1: stands here twice; remove one");
  EXPECT_EQ(error("{\"options\": [\"a\\nb\"]}"),
            "spec.json:2:23: /build/options/0: holds a control character; remove it");
  EXPECT_EQ(
      error(R"({"sources": ["none.cpp"]})"),
      "spec.json:2:23: /build/sources/0: there is no file \"none.cpp\"; write a path relative to this file");
}

TEST_F(BuildSectionTest, KeepsPathsInside) {
  write("folder/x", "");
  for (const char* path : {"../bench.cpp", "/etc/passwd", "folder/../../a"}) {
    EXPECT_NE(error(std::string(R"({"sources": [")") + path + "\"]}")
                  .find("expected a path inside the folder of this file"),
              std::string::npos)
        << path;
    EXPECT_NE(error(std::string(R"({"include": [")") + path + "\"]}")
                  .find("expected a path inside the tree of the commit"),
              std::string::npos)
        << path;
  }
  fs::create_symlink("/etc/passwd", folder_.path() / "link.cpp");
  EXPECT_NE(error(R"({"sources": ["link.cpp"]})").find("is a link to \"/etc/passwd\", outside"),
            std::string::npos)
      << error(R"({"sources": ["link.cpp"]})");
  EXPECT_NE(error(R"({"sources": ["folder"]})").find("there is no file"), std::string::npos);
}

TEST_F(BuildSectionTest, IsOneForASuite) {
  write("one.json", benchmarks(R"(, "build": {"target": "t"})"));
  write("same.json", benchmarks(R"(, "build": {"target": "t"})", R"(, "framework": "f")"));
  write("other.json", benchmarks(R"(, "build": {"target": "u"})"));
  write("none.json", benchmarks(""));
  const auto suite = [&](const std::string& files, const std::string& more = "") {
    return write("suite.json", "{\"benchmarks\": [" + files + "]" + more + "}");
  };
  EXPECT_EQ(load_benchmarks(suite("\"one.json\"")).build.value().target, "t");
  EXPECT_EQ(load_benchmarks(suite("\"none.json\"", R"(, "build": {"target": "s"})")).build.value().target,
            "s");
  const std::string message =
      message_of([&] { static_cast<void>(load_benchmarks(suite(R"("one.json", "other.json")"))); });
  EXPECT_NE(message.find("other.json:1:"), std::string::npos) << message;
  EXPECT_NE(message.find("differs from the one at"), std::string::npos) << message;
  EXPECT_NE(message.find("one.json:1:"), std::string::npos) << message;
}

TEST_F(BuildSectionTest, IsComparedByWhatItSays) {
  BuildSection one;
  one.sources = {"bench.cpp"};
  one.folder = "/a";
  BuildSection other = one;
  other.where = {3, 4};
  EXPECT_TRUE(one.same_as(other));
  other.folder = "/b";
  EXPECT_FALSE(one.same_as(other)) << "another bench.cpp";
}

TEST_F(BuildSectionTest, IsCheckedAgainstTheFrameworkAtTheStart) {
  const auto complaint = [](const std::string& framework, const std::optional<BuildSection>& section) {
    return message_of([&] { complain_of_build(framework, section); });
  };
  BuildSection empty;
  empty.file = "spec.json";
  empty.where = {2, 3};
  BuildSection target = empty;
  target.target = "t";
  BuildSection sources = empty;
  sources.sources = {"bench.cpp"};
  EXPECT_EQ(complaint("own", std::nullopt), "no error");
  EXPECT_EQ(complaint("own", empty), "no error");
  EXPECT_EQ(complaint("generic-cmake", target), "no error");
  EXPECT_EQ(complaint("generic-cmake", sources), "no error");
  EXPECT_EQ(complaint("generic-headers", sources), "no error");
  EXPECT_NE(complaint("generic-cmake", std::nullopt).find("is not told what to build"), std::string::npos);
  EXPECT_EQ(complaint("generic-cmake", empty).find("spec.json:2:3: /build: has neither"), 0U)
      << complaint("generic-cmake", empty);
  EXPECT_NE(complaint("generic-headers", empty).find("has no \"sources\""), std::string::npos);
  target.sources = {"bench.cpp"};
  EXPECT_NE(complaint("generic-headers", target).find("does not know"), std::string::npos);
}

}  // namespace
}  // namespace tandem::specs
