#include "builders/identity/identity.hpp"
#include <gtest/gtest.h>

#include "builders/cache/manifest.hpp"
#include "compiled_fixture.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::builders {
namespace {

const std::string one_commit = "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d";
const std::string other_commit = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c";

class IdentityTest : public CompiledTest {
 protected:
  /// An executable of copies of the files, by their names in it.
  Executable executable(const std::string& name, const std::map<std::string, fs::path>& files,
                        const std::string& commit = one_commit) {
    Executable made;
    made.commit = commit;
    made.directory = folder_.path() / name;
    for (const auto& [path, from] : files) {
      fs::create_directories((made.directory / path).parent_path());
      fs::copy_file(from, made.directory / path);
    }
    made.manifest = std::get<std::vector<ManifestFile>>(take_inventory(made.directory));
    return made;
  }

  fs::path file(const std::string& name, const std::string& text) {
    write(folder_.path() / name, text);
    return folder_.path() / name;
  }

  static std::string program_naming(const std::string& commit) {
    return "#include <cstdio>\nint main() { std::puts(\"built from " + commit + "\"); }\n";
  }
};

TEST_F(IdentityTest, IgnoresDebugInformationAndTheBuildId) {
  const std::string source = "int main() { return 4; }\n";
  const fs::path plain = compile("plain", source, {"-g0", "-Wl,--build-id=0x1234"});
  const fs::path debug =
      compile("debug", "// A comment moves every line.\n\n" + source, {"-g", "-Wl,--build-id=0x5678"});
  ASSERT_NE(sha256_of_file(plain), sha256_of_file(debug));
  EXPECT_TRUE(identical_files(plain, debug));
  EXPECT_TRUE(identical(executable("a", {{"main", plain}}), executable("b", {{"main", debug}})));
}

TEST_F(IdentityTest, IgnoresWhatStripTakesAway) {
  if (!fs::exists("/usr/bin/strip")) GTEST_SKIP() << "there is no strip";
  const fs::path whole = compile("whole", program_naming(one_commit), {"-g"});
  run({"/usr/bin/strip", "-o", folder_.path() / "stripped", whole});
  run({"/usr/bin/strip", "--strip-debug", "-o", folder_.path() / "no_debug", whole});
  run({"/usr/bin/objcopy", "--only-keep-debug", whole, folder_.path() / "whole.debug"});
  run({"/usr/bin/objcopy", "--strip-all", "--add-gnu-debuglink=" + (folder_.path() / "whole.debug").string(),
       whole, folder_.path() / "linked"});
  for (const char* name : {"stripped", "no_debug", "linked"}) {
    ASSERT_NE(sha256_of_file(whole), sha256_of_file(folder_.path() / name)) << name;
    EXPECT_TRUE(identical_files(whole, folder_.path() / name)) << name;
  }
}

TEST_F(IdentityTest, SeesAChangeOfCodeOrData) {
  const fs::path one = compile("one", "int main() { return 4; }\n");
  EXPECT_FALSE(identical_files(one, compile("code", "int main() { return 5; }\n")));
  const fs::path data = compile("data", "volatile int x = 4; int main() { return x; }\n");
  EXPECT_FALSE(
      identical_files(data, compile("other_data", "volatile int x = 5; int main() { return x; }\n")));
}

TEST_F(IdentityTest, SeesFunctionsInAnotherOrder) {
  const std::string first = "__attribute__((noinline)) int first(int x) { return x * 3; }\n";
  const std::string second = "__attribute__((noinline)) int second(int x) { return x + 7; }\n";
  const std::string rest = "int main(int n, char**) { return first(n) + second(n); }\n";
  EXPECT_FALSE(identical_files(compile("one", first + second + rest, {"-O1"}),
                               compile("two", second + first + rest, {"-O1"})));
}

TEST_F(IdentityTest, IgnoresTheNameOfItsOwnCommit) {
  const Executable one = executable("a", {{"main", compile("one", program_naming(one_commit))}}, one_commit);
  const Executable other =
      executable("b", {{"main", compile("two", program_naming(other_commit))}}, other_commit);
  ASSERT_NE(one.manifest, other.manifest);
  EXPECT_TRUE(identical(one, other));
  const auto abbreviated = [&](const std::string& name, const std::string& commit, std::size_t digits) {
    return executable(name,
                      {{"main", compile("short", program_naming("v1-2-g" + commit.substr(0, digits) + "!"))}},
                      commit);
  };
  EXPECT_TRUE(identical(abbreviated("c", one_commit, 9), abbreviated("d", other_commit, 9)));
  EXPECT_FALSE(identical(abbreviated("e", one_commit, 9), abbreviated("f", other_commit, 10)));
}

TEST_F(IdentityTest, SeesTheNameOfAnotherCommit) {
  const fs::path names_one = compile("one", program_naming(one_commit));
  const fs::path names_other = compile("two", program_naming(other_commit));
  EXPECT_FALSE(identical(executable("a", {{"main", names_one}}, one_commit),
                         executable("b", {{"main", names_one}}, other_commit)))
      << "the second does not name itself";
  EXPECT_FALSE(identical(executable("c", {{"main", names_one}}, one_commit),
                         executable("d", {{"main", names_other}}, one_commit)));
  const fs::path hole = compile("hole", program_naming(std::string(40, '\t')));
  EXPECT_FALSE(identical(executable("e", {{"main", names_one}}, one_commit),
                         executable("f", {{"main", hole}}, one_commit)));
}

TEST_F(IdentityTest, SeesCodeBesideTheNameOfItsCommit) {
  const auto source = [](const std::string& commit, int result) {
    return "const char* volatile id = \"" + commit + "\"; int main() { return id[0] + " +
           std::to_string(result) + "; }\n";
  };
  const fs::path one = compile("one", source(one_commit, 4));
  const fs::path other = compile("two", source(other_commit, 5));
  EXPECT_FALSE(identical(executable("a", {{"main", one}}, one_commit),
                         executable("b", {{"main", other}}, other_commit)));
}

TEST_F(IdentityTest, SeesWhatAProgramCarriesBehindItself) {
  const fs::path program = compile("one", "int main() {}\n");
  const fs::path carries = file("carries", read(program) + "payload 1");
  EXPECT_FALSE(identical_files(program, carries));
  EXPECT_FALSE(identical_files(carries, file("other", read(program) + "payload 2")));
  if (!fs::exists("/usr/bin/objcopy")) GTEST_SKIP() << "there is no objcopy";
  file("content", "some resource");
  run({"/usr/bin/objcopy", "--add-section", ".resource=" + (folder_.path() / "content").string(), program,
       folder_.path() / "section"});
  EXPECT_FALSE(identical_files(program, folder_.path() / "section"));
}

TEST_F(IdentityTest, ComparesTheWholeManifest) {
  const fs::path plain = compile("plain", "int main() { return 4; }\n", {"-g0"});
  const fs::path debug = compile("debug", "int main() { return 4; }\n", {"-g"});
  const fs::path other = compile("other", "int main() { return 5; }\n");
  const fs::path table = file("table", "1 2 3\n");
  const Executable control = executable("control", {{"main", plain}, {"helper", other}, {"data/t", table}});
  const auto same = [&](const char* name, const std::map<std::string, fs::path>& files) {
    return identical(control, executable(name, files));
  };
  EXPECT_TRUE(same("same", {{"main", debug}, {"helper", other}, {"data/t", table}}));
  EXPECT_FALSE(same("helpers", {{"main", plain}, {"helper", plain}, {"data/t", table}}));
  EXPECT_FALSE(same("fewer", {{"main", plain}, {"data/t", table}}));
  EXPECT_FALSE(same("renamed", {{"main", plain}, {"tool", other}, {"data/t", table}}));
  EXPECT_FALSE(same("data", {{"main", plain}, {"helper", other}, {"data/t", file("t2", "1 2 4\n")}}));
}

TEST_F(IdentityTest, SeesALibraryThatIsFoundElsewhere) {
  const auto library = [&](const std::string& where, const std::string& result) {
    fs::create_directories(folder_.path() / where);
    compile(where + "/libcore.so", "int core() { return " + result + "; }\n",
            {"-shared", "-fPIC", "-Wl,-soname,libcore.so"});
  };
  library("system", "1");
  const fs::path where = folder_.path() / "system";
  const fs::path program = compile("program", "int core(); int main() { return core(); }\n",
                                   {"-L" + where.string(), "-lcore", "-Wl,-rpath," + where.string()});
  const std::string before = fingerprint(executable("a", {{"main", program}}));
  EXPECT_EQ(fingerprint(executable("b", {{"main", program}})), before);
  library("system", "2");
  const std::string after = fingerprint(executable("c", {{"main", program}}));
  EXPECT_NE(after, before) << "another build of the library";
  fs::remove(where / "libcore.so");
  EXPECT_NE(fingerprint(executable("d", {{"main", program}})), after) << "it is not found any more";
}

TEST_F(IdentityTest, SeesLibrariesBesideAProgramThroughOrigin) {
  const auto tree = [&](const std::string& name, const std::string& result) {
    fs::create_directories(folder_.path() / name);
    compile(name + "/libcore.so", "int core() { return " + result + "; }\n",
            {"-shared", "-fPIC", "-Wl,-soname,libcore.so"});
    return compile(name + "/main", "int core(); int main() { return core(); }\n",
                   {"-L" + (folder_.path() / name).string(), "-lcore", "-Wl,-rpath,$ORIGIN"});
  };
  const fs::path one = tree("one", "1");
  EXPECT_TRUE(identical_files(one, tree("same", "1")));
  EXPECT_FALSE(identical_files(one, tree("else", "2")));
  const auto whole = [&](const std::string& name, const fs::path& main) {
    return executable(name, {{"main", main}, {"libcore.so", main.parent_path() / "libcore.so"}});
  };
  EXPECT_TRUE(identical(whole("a", one), whole("b", folder_.path() / "same/main")))
      << "where an executable lies does not count";
  EXPECT_FALSE(identical(whole("c", one), whole("d", folder_.path() / "else/main")));
}

TEST_F(IdentityTest, UsesTheFingerprintThatIsKept) {
  Executable kept = executable("a", {{"main", file("script", "#!/bin/sh\n")}});
  kept.fingerprint = "kept";
  EXPECT_EQ(fingerprint(kept), "kept");
}

TEST_F(IdentityTest, ComparesOtherFilesByteForByte) {
  EXPECT_TRUE(identical_files(file("a", "#!/bin/sh\n"), file("b", "#!/bin/sh\n")));
  EXPECT_FALSE(identical_files(file("a", "#!/bin/sh\n"), file("c", "#!/bin/sh\n\n")));
  EXPECT_FALSE(identical_files(file("a", ""), file("c", "x")));
  EXPECT_THROW(static_cast<void>(identical_files(folder_.path() / "a", folder_.path() / "none")),
               std::system_error);
}

TEST_F(IdentityTest, HasNoLoadableHashForWhatIsNoProgram) {
  const std::string elf = read(compile("one", "int main() {}\n"));
  for (const std::string& bytes :
       {elf.substr(0, 200), elf.substr(0, 20), std::string("hello"), std::string()}) {
    EXPECT_FALSE(loadable_hash(bytes)) << bytes.size();
  }
  EXPECT_TRUE(loadable_hash(elf));
}

std::string masked(std::string text, FileRange range) {
  const std::string original = text;
  for (const FileRange& one : find_commit_ids(original, range, one_commit)) {
    for (auto at = one.begin; at < one.end; ++at) text[at] = '*';
  }
  return text;
}

std::string masked(const std::string& text) {
  return masked(text, {0, text.size()});
}

TEST(CommitMask, FindsTheWholeIdAndItsBeginnings) {
  EXPECT_EQ(masked(one_commit), std::string(40, '*'));
  EXPECT_EQ(masked("v1.2-3-g1a2b3c4 built"), "v1.2-3-g******* built");
  EXPECT_EQ(masked("x 1a2b3c4d5e6f, 1a2b3c4d\n" + one_commit),
            "x ************, ********\n" + std::string(40, '*'));
}

TEST(CommitMask, LeavesEverythingElse) {
  const std::vector<std::string> texts = {
      "1a2b3c",   "1a2b3c5", "0" + one_commit,       one_commit + "0",     "f1a2b3c4", "A1a2b3c4",
      "1a2b3c4A", "1A2B3C4", "1a2b3c4d5e6f70819200", one_commit.substr(1), ""};
  for (const std::string& text : texts) {
    EXPECT_EQ(masked(text), text);
  }
}

TEST(CommitMask, LooksOnlyIntoTheRange) {
  const std::string text = "1a2b3c4 1a2b3c4d 1a2b3c4";
  EXPECT_EQ(masked(text, {8, 16}), "1a2b3c4 ******** 1a2b3c4");
  EXPECT_EQ(masked(text, {8, 15}), text) << "the word goes on behind the range";
  EXPECT_EQ(masked(text, {9, 16}), text);
}

TEST(CommitMask, KnowsNoIdOfOtherKinds) {
  EXPECT_TRUE(find_commit_ids("abcdef abcdefg", {0, 14}, "abcdef").empty());
  EXPECT_TRUE(find_commit_ids("a branch-name b", {0, 15}, "branch-name").empty());
  EXPECT_TRUE(find_commit_ids("text", {0, 4}, "").empty());
}

}  // namespace
}  // namespace tandem::builders
