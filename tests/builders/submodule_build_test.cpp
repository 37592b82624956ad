#include "builder_fixture.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using Kind = BuildFailure::Kind;

class SubmoduleBuild : public BuilderTest {
 protected:
  SubmoduleBuild() {
    fs::create_directories(library_);
    git({"init", "-q", "-b", "main"}, library_);
    write_script(library_ / "program", "echo one\n");
    git({"add", "."}, library_);
    git({"commit", "-q", "-m", "Library"}, library_);
    script("cp \"$1/lib/program\" \"$2\"\n");
    commit("a", "1");
    git({"-c", "protocol.file.allow=always", "submodule", "add", "-q", library_.string(), "lib"});
    commit_all("Use the library");
    settings_.source = source_of(upstream_, "main");
    settings_.fetch.program = tests::paths::fetch_child;
  }

  fs::path library_ = temporary_.path() / "library";
};

TEST_F(SubmoduleBuild, FetchesTheSubmodulesOfACommit) {
  const Executable executable = built(tip());
  EXPECT_EQ(read(executable.program), "#!/bin/sh\necho one\n");
}

TEST_F(SubmoduleBuild, MayPassLaterWhenASubmoduleCannotBeFetched) {
  const Commit commit = tip();
  fs::rename(library_, temporary_.path() / "away");
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::fetch) << failure.sentence;
  EXPECT_TRUE(may_pass_later(failure.kind));
  fs::rename(temporary_.path() / "away", library_);
  built(commit);
}

TEST_F(SubmoduleBuild, MayPassLaterWhenTheSubmoduleIsPushedAfterTheCommitThatNamesIt) {
  const std::string pushed = git({"rev-parse", "HEAD"}, library_);
  write_script(library_ / "program", "echo two\n");
  git({"commit", "-q", "-a", "-m", "Not pushed yet"}, library_);
  const std::string later = git({"rev-parse", "HEAD"}, library_);
  git({"fetch", "-q", library_.string(), "main"}, upstream_ / "lib");
  git({"checkout", "-q", later}, upstream_ / "lib");
  commit_all("Use what is not pushed yet");
  git({"reset", "-q", "--hard", pushed}, library_);
  git({"reflog", "expire", "--expire=now", "--all"}, library_);
  git({"prune", "--expire=now"}, library_);
  const Commit commit = tip();
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::fetch) << failure.sentence;
  git({"fetch", "-q", (upstream_ / "lib").string(), later}, library_);
  git({"reset", "-q", "--hard", later}, library_);
  EXPECT_EQ(read(built(commit).program), "#!/bin/sh\necho two\n");
}

}  // namespace
}  // namespace tandem::builders
