#include <sys/stat.h>

#include "builders/repository.hpp"
#include "repository_fixture.hpp"

namespace tandem::builders {
namespace {

using Kind = CheckoutFailure::Kind;

class HgCheckoutTest : public HgTest {
 protected:
  std::optional<CheckoutFailure> check_out(const std::string& name, const std::stop_token& stop = {}) {
    fetched(upstream_);
    fs::create_directories(tree_);
    const auto repository = open_repository(mirror_);
    return repository->checkout(repository->find(name).value(), tree_, stop);
  }

  fs::path tree_ = temporary_.path() / "tree 100%H";
};

TEST_F(HgCheckoutTest, WritesModesLinksOddNamesAndTheCommitsTime) {
  write(upstream_ / "src/deep/er/file.cpp", "int main() {}");
  write(upstream_ / "empty", "");
  write(upstream_ / "with space and ü", "a line\nnot changed");
  write(upstream_ / "-rf", "dash");
  write(upstream_ / "windows.txt", "one\r\ntwo\r\n");
  write(upstream_ / "looks like a copy", "\x01\ncopy: x\n\x01\nnot one");
  write(upstream_ / ".hgeol", "[patterns]\n** = native\n");
  write(upstream_ / "NUL and high", std::string("\0\xff\n", 3));
  write_script(upstream_ / "tool.sh", "exit 0");
  fs::create_symlink("src/deep", upstream_ / "link");
  fs::create_symlink("/nowhere", upstream_ / "dangling");
  commit_all("Many kinds of files");
  hg({"copy", "--", "-rf", "copied"});
  hg({"rename", "tool.sh", "renamed.sh"});
  const std::string id = commit_all("Copies");
  ASSERT_FALSE(check_out(id).has_value());

  for (const char* name : {"src/deep/er/file.cpp", "empty", "with space and ü", "-rf", "windows.txt",
                           "looks like a copy", ".hgeol", "NUL and high", "copied", "renamed.sh"}) {
    EXPECT_EQ(read(tree_ / name), read(upstream_ / name)) << name;
    EXPECT_FALSE(fs::is_symlink(tree_ / name));
  }
  EXPECT_EQ(fs::read_symlink(tree_ / "link"), "src/deep");
  EXPECT_EQ(fs::read_symlink(tree_ / "dangling"), "/nowhere");
  EXPECT_FALSE(fs::exists(tree_ / "tool.sh"));
  EXPECT_FALSE(fs::exists(tree_ / ".hg_archival.txt"));
  EXPECT_FALSE(fs::exists(tree_ / ".hg"));
  struct stat status {};
  ASSERT_EQ(::stat((tree_ / "renamed.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'700'001'200);
  ASSERT_EQ(::stat((tree_ / "src/deep").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'700'001'200);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
  ASSERT_EQ(::stat((tree_ / "empty").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
  ASSERT_EQ(::lstat((tree_ / "dangling").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'700'001'200);
}

TEST_F(HgCheckoutTest, WritesMergesAndFilesThatWereChangedOnBothSides) {
  const std::string root = commit("a", "1\n2\n3\n4\n5\n");
  commit("a", "one\n2\n3\n4\n5\n");
  const std::string one = node();
  hg({"update", "--quiet", root});
  commit("a", "1\n2\n3\n4\nfive\n");
  hg({"merge", "--quiet", "--tool", "internal:merge", one});
  const std::string merge = commit_all("Merge");
  ASSERT_FALSE(check_out(merge).has_value());
  EXPECT_EQ(read(tree_ / "a"), "one\n2\n3\n4\nfive\n");
}

TEST_F(HgCheckoutTest, WritesACommitWithoutFiles) {
  commit("a", "1");
  fs::remove(upstream_ / "a");
  const std::string id = commit_all("Remove all");
  EXPECT_FALSE(check_out(id).has_value());
  EXPECT_TRUE(fs::is_empty(tree_));
}

TEST_F(HgCheckoutTest, RefusesADirectoryThatIsNotEmpty) {
  commit("a", "1");
  write(tree_ / "stale.o", "left over");
  const auto failure = check_out("default");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::corrupt) << failure->sentence;
}

TEST_F(HgCheckoutTest, SaysThatSubrepositoriesAreNotSupported) {
  fs::create_directories(upstream_ / "third/m");
  hg({"init"}, upstream_ / "third/m");
  write(upstream_ / "third/m/b", "1");
  hg({"commit", "--addremove", "--quiet", "--date", "1700000000 0", "--message", "Inner"},
     upstream_ / "third/m");
  write(upstream_ / ".hgsub", "third/m = third/m\n");
  commit_all("Add a subrepository");
  const auto failure = check_out("default");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::submodules);
  EXPECT_NE(failure->sentence.find("third/m"), std::string::npos) << failure->sentence;
}

TEST_F(HgCheckoutTest, SaysThatLargefilesAreNotSupported) {
  commit(".hglf/weights.bin", "0123456789012345678901234567890123456789\n");
  const auto failure = check_out("default");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::large_files) << failure->sentence;
}

TEST_F(HgCheckoutTest, SaysThatLfsIsNotSupported) {
  write(upstream_ / "weights.bin", std::string(2000, 'w'));
  hg({"--config", "extensions.lfs=", "--config", "lfs.track=all()", "--config",
      "lfs.usercache=" + (temporary_.path() / "lfs").string(), "commit", "--addremove", "--quiet", "--date",
      "1700000000 0", "--message", "Large"});
  const auto result = [&]() -> std::string {
    try {
      const auto failure = not_fetched(upstream_);
      return std::string(name_of(failure.kind)) + ": " + failure.sentence;
    } catch (const std::exception& error) {
      return error.what();
    }
  }();
  EXPECT_NE(result.find("lfs"), std::string::npos) << result;
}

TEST_F(HgCheckoutTest, RefusesPathsThatEscape) {
  // hg itself commits neither; the manifest is written past its checks.
  commit("a", "1");
  const fs::path script = temporary_.path() / "forge.py";
  write(script,
        "from mercurial import context, registrar\n"
        "cmdtable = {}\n"
        "command = registrar.command(cmdtable)\n"
        "@command(b'forge', [], b'NAME')\n"
        "def forge(ui, repo, name):\n"
        "    def content(repo, ctx, path):\n"
        "        return context.memfilectx(repo, ctx, path, b'planted')\n"
        "    with repo.lock():\n"
        "        context.memctx(repo, (repo[b'tip'].node(), None), b'Odd', [name], content,\n"
        "                       date=b'1700000000 0').commit()\n");
  for (const char* name : {"../y", "x/../../y", "sub/.HG/hgrc", ".git/config", "a/b"}) {
    const std::string before = node("default");
    hg({"--config", "extensions.forge=" + script.string(), "forge", name});
    ASSERT_NE(node("default"), before) << name;
    fs::remove_all(tree_);
    const auto failure = check_out("default");
    ASSERT_TRUE(failure) << name;
    EXPECT_EQ(failure->kind, Kind::unsafe_path) << name << ": " << failure->sentence;
    EXPECT_TRUE(fs::is_empty(tree_)) << name;
    EXPECT_FALSE(fs::exists(temporary_.path() / "y"));
    hg({"--config", "extensions.strip=", "strip", "--no-backup", "default"});
    fs::remove_all(mirror_);
  }
}

TEST_F(HgCheckoutTest, FindsADamagedFileHistory) {
  commit("good", "1");
  commit("bad",
         "the content of this file is long enough to be stored as it is, and then somebody changes it");
  fetched(upstream_);
  const fs::path stored = mirror_ / ".hg/store/data/bad.i";
  std::string bytes = read(stored);
  bytes[bytes.size() - 8] ^= 1;
  write(stored, bytes);
  const auto failure = check_out("default");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::corrupt) << failure->sentence;
}

TEST_F(HgCheckoutTest, EndsOnRequest) {
  commit("a", "1");
  std::stop_source stop;
  stop.request_stop();
  const auto failure = check_out("default", stop.get_token());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::stopped);
}

}  // namespace
}  // namespace tandem::builders
