#include <gtest/gtest.h>

#include <fstream>

#include "specs/files/model_files.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;

class FileLocationTest : public testing::Test {
 protected:
  FileLocationTest() : here_(fs::canonical(directory_.path())) {
    for (const char* folder : {"specs", "root/inner", "outside"}) fs::create_directories(here_ / folder);
    for (const char* file : {"specs/near", "root/inner/model", "outside/secret", "root2"}) {
      std::ofstream(here_ / file) << file;
    }
  }

  [[nodiscard]] auto find(const std::string& location) const {
    FileSpec file;
    file.filename = "graph.pb";
    file.location = location;
    file.file = here_ / "specs" / "model.json";
    return locate(file, root_);
  }

  fs::path path(const std::string& location) const {
    const auto found = find(location);
    const auto* local = std::get_if<LocalLocation>(&found);
    if (const auto* failure = std::get_if<FileFailure>(&found)) ADD_FAILURE() << failure->what;
    return local != nullptr ? fs::canonical(local->path) : fs::path();
  }

  std::string refusal(const std::string& location) const {
    const auto found = find(location);
    const auto* failure = std::get_if<FileFailure>(&found);
    if (failure == nullptr || failure->reason != FileFailure::Reason::wrong) {
      ADD_FAILURE() << location << " is not refused as wrong";
      return "";
    }
    EXPECT_NE(failure->what.find("graph.pb"), std::string::npos) << failure->what;
    return failure->what;
  }

  tests::TemporaryDirectory directory_;
  fs::path here_;
  fs::path root_ = here_ / "root";
};

TEST_F(FileLocationTest, IsRemoteByHttp) {
  for (const std::string url : {"http://host/file", "https://host/file", "HTTP://host/file"}) {
    const auto found = find(url);
    ASSERT_TRUE(std::holds_alternative<RemoteLocation>(found));
    EXPECT_EQ(std::get<RemoteLocation>(found).url, url);
  }
}

TEST_F(FileLocationTest, IsRelativeToTheSpecOrAbsolute) {
  EXPECT_EQ(path("near"), here_ / "specs/near");
  EXPECT_EQ(path("./near"), here_ / "specs/near");
  EXPECT_EQ(path("../outside/secret"), here_ / "outside/secret");
  EXPECT_EQ(path(here_ / "outside/secret"), here_ / "outside/secret");
  EXPECT_EQ(path("file://" + (here_ / "outside/secret").string()), here_ / "outside/secret");
}

TEST_F(FileLocationTest, MayBeAFolder) {
  EXPECT_EQ(path("../outside"), here_ / "outside");
}

TEST_F(FileLocationTest, IsNoFolderThatTheSpecLiesIn) {
  fs::create_symlink(here_ / "specs", here_ / "outside/link");
  root_ = here_;
  for (const std::string& location :
       {std::string("."), std::string("./"), std::string(".."), std::string("../specs"), std::string("/"),
        std::string("//specs"), std::string("../outside/link"), here_.string(),
        "file://" + (here_ / "specs").string()}) {
    EXPECT_NE(refusal(location).find("that the spec itself lies in"), std::string::npos) << location;
  }
}

TEST_F(FileLocationTest, IsUnderTheModelRootAfterTwoSlashes) {
  EXPECT_EQ(path("//inner/model"), here_ / "root/inner/model");
  EXPECT_EQ(path("//inner/../inner/model"), here_ / "root/inner/model");
  fs::create_symlink("inner/model", here_ / "root/link");
  EXPECT_EQ(path("//link"), here_ / "root/inner/model");
}

TEST_F(FileLocationTest, NeverLeavesTheModelRoot) {
  fs::create_symlink(here_ / "outside", here_ / "root/way_out");
  fs::create_symlink("../../outside/secret", here_ / "root/inner/secret");
  for (const char* location :
       {"//../outside/secret", "//inner/../../outside/secret", "//way_out/secret", "//inner/secret",
        "//../root2", "//missing/../../outside/secret", "//../outside/missing", "//.."}) {
    EXPECT_NE(refusal(location).find("leads out of the model root"), std::string::npos) << location;
  }
}

TEST_F(FileLocationTest, NeedsAModelRootForTwoSlashes) {
  root_.clear();
  EXPECT_NE(refusal("//inner/model").find("--root_model_dir"), std::string::npos);
  root_ = here_ / "no_such_folder";
  EXPECT_NE(refusal("//inner/model").find("--root_model_dir"), std::string::npos);
}

TEST_F(FileLocationTest, IsRefusedWhereNothingIs) {
  for (const char* location : {"missing", "//inner/missing", "/no/such/file", "file:///no/such/file"}) {
    EXPECT_NE(refusal(location).find("there is nothing at"), std::string::npos) << location;
  }
}

TEST_F(FileLocationTest, IsRefusedIfNoFileCouldBeThere) {
  EXPECT_NE(refusal("").find("no location"), std::string::npos);
  EXPECT_NE(refusal("/dev/null").find("neither a file nor a folder"), std::string::npos);
  EXPECT_NE(refusal("ftp://me:secret@host/file").find("ftp://host/file"), std::string::npos);
  EXPECT_NE(refusal("file://other/file").find("no file of this host"), std::string::npos);
  EXPECT_NE(refusal("file:///a%00b").find("no file of this host"), std::string::npos);
  EXPECT_NE(refusal("a\nb").find("control characters"), std::string::npos);
  EXPECT_NE(refusal("{HOSTDIR}/file").find("while the benchmark runs"), std::string::npos);
}

TEST(PlaceInCache, IsFormatModelAndFilename) {
  const auto place = place_in_cache("cache", "caffe2", "a model (2)", "graph.pb");
  ASSERT_TRUE(std::holds_alternative<fs::path>(place));
  EXPECT_EQ(std::get<fs::path>(place), fs::path("cache/caffe2/a model (2)/graph.pb"));
}

TEST(PlaceInCache, RefusesWhatIsNoPlainName) {
  const std::string long_name(201, 'x');
  for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                  std::string("/"), std::string("a\nb"), std::string("a\0b", 3), long_name}) {
    for (int part = 0; part < 3; ++part) {
      const auto place =
          place_in_cache("cache", part == 0 ? name : "f", part == 1 ? name : "m", part == 2 ? name : "n");
      EXPECT_TRUE(std::holds_alternative<FileFailure>(place)) << name << " as part " << part;
    }
  }
}

TEST(PlaceInCache, RefusesTheNamesOfItsOwnNotes) {
  for (const char* name : {"graph.pb.part", "graph.pb.lock", "graph.pb.checked", "graph.pb.part.from"}) {
    EXPECT_TRUE(std::holds_alternative<FileFailure>(place_in_cache("cache", "f", "m", name))) << name;
  }
}

TEST(PlaceInCache, NeedsACache) {
  const auto place = place_in_cache("", "f", "m", "n");
  ASSERT_TRUE(std::holds_alternative<FileFailure>(place));
  EXPECT_NE(std::get<FileFailure>(place).what.find("--model_cache"), std::string::npos);
}

}  // namespace
}  // namespace tandem::specs
