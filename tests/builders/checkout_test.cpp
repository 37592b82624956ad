#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builders/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tandem::builders {
namespace {

class CheckoutTest : public GitTest {
 protected:
  std::optional<CheckoutFailure> check_out(const std::string& name, const std::stop_token& stop = {}) {
    fetched(upstream_);
    fs::create_directories(tree_);
    const auto opened = open_repository(mirror_);
    const Repository& repository = *opened;
    return repository.checkout(repository.find(name).value(), tree_, stop);
  }

  /// A tree made of raw entries, past git's own checks.
  std::string raw_tree(const std::string& listing) {
    write(temporary_.path() / "listing", listing);
    const fs::path script = temporary_.path() / "mktree.sh";
    write_script(script, "git hash-object -t tree -w --literally --stdin < \"$1\"\n");
    runners::Command command;
    command.argv = {script, temporary_.path() / "listing"};
    command.environment = git_environment();
    command.working_directory = upstream_;
    std::string output = run_command(command, {}).output;
    output.pop_back();
    return output;
  }

  static std::string entry(const std::string& mode, const std::string& name, const std::string& id) {
    std::string raw = mode + " " + name + std::string(1, '\0');
    for (std::size_t i = 0; i < id.size(); i += 2) {
      raw += static_cast<char>(std::stoi(id.substr(i, 2), nullptr, 16));
    }
    return raw;
  }

  void commit_tree(const std::string& tree) {
    git({"update-ref", "refs/heads/main", git({"commit-tree", tree, "-m", "Odd"})});
  }

  fs::path tree_ = temporary_.path() / "tree";
};

TEST_F(CheckoutTest, WritesModesLinksOddNamesAndTheCommitsTime) {
  write(upstream_ / "src/deep/er/file.cpp", "int main() {}");
  write(upstream_ / "empty", "");
  write(upstream_ / "with space and ü", "a line\nnot changed");
  write(upstream_ / "-rf", "dash");
  write(upstream_ / "line\nbreak", "odd");
  write(upstream_ / ".gitattributes", "* text eol=crlf\n");
  write_script(upstream_ / "tool.sh", "exit 0");
  fs::create_symlink("src/deep", upstream_ / "link");
  fs::create_symlink("/nowhere", upstream_ / "dangling");
  const std::string id = commit_all("Many kinds of files");
  ASSERT_FALSE(check_out(id).has_value());

  for (const char* name :
       {"src/deep/er/file.cpp", "empty", "with space and ü", "-rf", "line\nbreak", "tool.sh"}) {
    EXPECT_EQ(read(tree_ / name), git({"cat-file", "blob", "HEAD:" + std::string(name)})) << name;
    EXPECT_FALSE(fs::is_symlink(tree_ / name));
  }
  EXPECT_EQ(fs::read_symlink(tree_ / "link"), "src/deep");
  EXPECT_EQ(fs::read_symlink(tree_ / "dangling"), "/nowhere");
  EXPECT_FALSE(fs::exists(tree_ / ".git"));
  struct stat status {};
  ASSERT_EQ(::stat((tree_ / "tool.sh").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0755U);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'700'000'600);
  ASSERT_EQ(::stat((tree_ / "src/deep").c_str(), &status), 0);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'700'000'600);
  ASSERT_EQ(::stat((tree_ / "empty").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(CheckoutTest, RefusesADirectoryThatIsNotEmpty) {
  commit("a", "1");
  write(tree_ / "stale.o", "left over");
  const auto failure = check_out("main");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::corrupt) << failure->sentence;
}

TEST_F(CheckoutTest, RefusesToWriteThroughALinkThatIsThere) {
  commit("dir/a", "1");
  fs::create_directories(temporary_.path() / "outside");
  fs::create_directories(tree_);
  fs::create_directory_symlink(temporary_.path() / "outside", tree_ / "dir");
  ASSERT_TRUE(check_out("main"));
  EXPECT_TRUE(fs::is_empty(temporary_.path() / "outside"));
}

TEST_F(CheckoutTest, RefusesPathsThatEscape) {
  commit("a", "1");
  const std::string blob = git({"rev-parse", "HEAD:a"});
  for (const char* name : {"..", ".git", ".GIT", "x/../../y", "."}) {
    commit_tree(raw_tree(entry("100644", name, blob)));
    fs::remove_all(tree_);
    const auto failure = check_out("main");
    ASSERT_TRUE(failure) << name;
    EXPECT_TRUE(fs::is_empty(tree_)) << name;
    EXPECT_FALSE(fs::exists(temporary_.path() / "y"));
  }
}

TEST_F(CheckoutTest, RefusesALinkAndAFileOfOneName) {
  commit("a", "/tmp");
  const std::string blob = git({"rev-parse", "HEAD:a"});
  const std::string inner = raw_tree(entry("100644", "planted", blob));
  commit_tree(raw_tree(entry("120000", "x", blob) + entry("40000", "x", inner)));
  const auto failure = check_out("main");
  ASSERT_TRUE(failure);
  EXPECT_FALSE(fs::exists("/tmp/planted"));
}

TEST_F(CheckoutTest, SaysThatASubmoduleWasNotFetched) {
  write(upstream_ / ".gitmodules", "[submodule \"m\"]\n\tpath = third/m\n\turl = https://example.org/m\n");
  git({"add", ".gitmodules"});
  git({"update-index", "--add", "--cacheinfo", "160000," + std::string(40, 'c') + ",third/m"});
  git({"commit", "--quiet", "-m", "Add a submodule"});
  const auto failure = check_out("main");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::submodules);
  EXPECT_EQ(failure->sentence, "the submodule 'third/m' is not there at its commit " + std::string(40, 'c') +
                                   ": it has not been fetched");
}

TEST_F(CheckoutTest, SaysThatLargeFilePointersAreNotSupported) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
  write(upstream_ / "models/.gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  commit("models/weights.bin", pointer);
  const auto failure = check_out("main");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::large_files) << failure->sentence;
  EXPECT_NE(failure->sentence.find("'models/weights.bin'"), std::string::npos) << failure->sentence;
}

TEST_F(CheckoutTest, WritesWhatOnlyLooksLikeALargeFilePointer) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n";
  write(upstream_ / ".gitattributes", "*.bin filter=lfs\n");
  commit("example.txt", pointer);
  ASSERT_FALSE(check_out("main"));
  EXPECT_EQ(read(tree_ / "example.txt"), pointer);
}

TEST_F(CheckoutTest, RefusesATreeThatUnfoldsWithoutEnd) {
  commit("a", "1");
  std::string tree = git({"rev-parse", "HEAD^{tree}"});
  for (int depth = 0; depth < 230; ++depth) tree = raw_tree(entry("40000", "d", tree));
  commit_tree(tree);
  const auto failure = check_out("main");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::too_large) << failure->sentence;
}

TEST_F(CheckoutTest, NamesTheFileWhoseObjectIsDamaged) {
  commit("good", "1");
  commit("bad", "2");
  fetched(upstream_);
  damage(git({"rev-parse", "HEAD:bad"}));
  const auto failure = check_out("main");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::corrupt);
  EXPECT_NE(failure->sentence.find("'bad'"), std::string::npos) << failure->sentence;
}

TEST_F(CheckoutTest, EndsOnRequest) {
  commit("a", "1");
  std::stop_source stop;
  stop.request_stop();
  const auto failure = check_out("main", stop.get_token());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, CheckoutFailure::Kind::stopped);
}

TEST_F(CheckoutTest, IsNoDamageForWantOfDescriptors) {
#ifdef __SANITIZE_ADDRESS__
  const __lsan::ScopedDisabler libgit2_forgets_a_pack_that_it_could_not_open;
#endif
  commit("a/b", "1");
  fetched(upstream_);
  fs::create_directories(tree_);
  const Commit wanted = open_repository(mirror_)->find("main").value();
  int refused = 0;
  for (rlim_t left = 0; left < 16; ++left) {
    fs::remove_all(tree_);
    fs::create_directories(tree_);
    const auto repository = open_repository(mirror_);  // which has read no object yet
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    const int next = ::dup(STDIN_FILENO);
    ::close(next);
    const rlimit few{static_cast<rlim_t>(next) + left, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    const auto failure = repository->checkout(wanted, tree_);
    ::setrlimit(RLIMIT_NOFILE, &before);
    if (!failure) continue;
    ++refused;
    EXPECT_EQ(failure->kind, CheckoutFailure::Kind::disk) << left << " descriptors: " << failure->sentence;
  }
  EXPECT_GT(refused, 1);
}

class ProvideGitTest : public CheckoutTest {
 protected:
  std::string provide(const std::string& name) {
    fs::remove_all(tree_);
    EXPECT_FALSE(check_out(name));
    const Commit commit = open_repository(mirror_)->find(name).value();
    provide_git(mirror_, commit, tree_);
    return commit.id;
  }
};

TEST_F(ProvideGitTest, AnswersWhatBuildScriptsAsk) {
  commit("src/a.cpp", "int a;");
  git({"tag", "-a", "-m", "Release", "v1.2"});
  write_script(upstream_ / "tool.sh", "exit 0");
  fs::create_symlink("src", upstream_ / "link");
  write(upstream_ / ".gitignore", "build/\n");
  commit_all("More");
  fetched(upstream_);
  const std::string before = fingerprint(mirror_);
  const std::string id = provide("main");
  EXPECT_EQ(git({"rev-parse", "HEAD"}, tree_), id);
  EXPECT_EQ(git({"describe", "--tags", "--dirty"}, tree_), "v1.2-1-g" + id.substr(0, 7));
  EXPECT_EQ(git({"log", "-1", "--format=%s"}, tree_), "More");
  EXPECT_EQ(git({"status", "--porcelain"}, tree_), "");
  EXPECT_EQ(git({"diff-index", "HEAD"}, tree_), "") << "without a refresh";
  EXPECT_EQ(git({"rev-list", "--count", "HEAD"}, tree_), "2");
  EXPECT_EQ(git({"symbolic-ref", "-q", "--short", "HEAD"}, upstream_), "main");
  EXPECT_EQ(git({"rev-parse", "--abbrev-ref", "HEAD"}, tree_), "HEAD") << "detached";
  EXPECT_EQ(fingerprint(mirror_), before);
  write(tree_ / "src/a.cpp", "int b;");
  EXPECT_EQ(git({"describe", "--tags", "--dirty"}, tree_), "v1.2-1-g" + id.substr(0, 7) + "-dirty");
}

TEST_F(ProvideGitTest, ServesAnOlderCommitAndAnEmptyOne) {
  git({"commit", "--quiet", "--allow-empty", "-m", "Empty"});
  const std::string empty = git({"rev-parse", "HEAD"});
  commit("a", "1");
  EXPECT_EQ(provide(empty), empty);
  EXPECT_EQ(git({"status", "--porcelain"}, tree_), "");
  EXPECT_EQ(git({"rev-parse", "HEAD"}, tree_), empty);
}

TEST_F(ProvideGitTest, SaysThatACommitIsMissing) {
  commit("a", "1");
  fetched(upstream_);
  fs::create_directories(tree_);
  Commit unknown;
  unknown.id = std::string(40, 'a');
  EXPECT_THROW(provide_git(mirror_, unknown, tree_), Error);
}

}  // namespace
}  // namespace tandem::builders
