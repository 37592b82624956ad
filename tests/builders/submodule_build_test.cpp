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

}  // namespace
}  // namespace tandem::builders
