#include "builders/identity.hpp"

#include "builders/hashes.hpp"
#include "git_fixture.hpp"

namespace tandem::builders {
namespace {

class IdentityTest : public testing::Test {
 protected:
  /// Compiles one program; the result is the path.
  fs::path compile(const std::string& name, const std::string& source,
                   const std::vector<std::string>& flags = {}) {
    write(folder_.path() / "source.cpp", source);
    runners::Command command;
    command.argv = {"/usr/bin/c++", "-o", folder_.path() / name, "source.cpp"};
    command.argv.insert(command.argv.end(), flags.begin(), flags.end());
    command.environment = git_environment();
    command.working_directory = folder_.path();
    const auto finished = run_command(command, {});
    EXPECT_TRUE(finished.succeeded()) << finished.errors;
    return folder_.path() / name;
  }

  Executable executable(const std::string& name, const std::map<std::string, fs::path>& files) {
    Executable made;
    made.directory = folder_.path() / name;
    for (const auto& [path, from] : files) {
      fs::create_directories(made.directory);
      fs::copy_file(from, made.directory / path);
      made.manifest.push_back({path, ManifestFile::Kind::program, fs::file_size(from), sha256_of_file(from)});
    }
    return made;
  }

  TemporaryDirectory folder_;
};

TEST_F(IdentityTest, IgnoresDebugInformationAndTheBuildId) {
  const std::string source = "int main() { return 4; }\n";
  const fs::path plain = compile("plain", source, {"-g0", "-Wl,--build-id=0x1234"});
  const fs::path debug =
      compile("debug", "// A comment moves every line.\n\n" + source, {"-g", "-Wl,--build-id=0x5678"});
  ASSERT_NE(sha256_of_file(plain), sha256_of_file(debug));
  EXPECT_TRUE(identical_files(plain, debug));
}

TEST_F(IdentityTest, SeesAChangeOfCodeOrData) {
  const fs::path one = compile("one", "int main() { return 4; }\n");
  EXPECT_FALSE(identical_files(one, compile("code", "int main() { return 5; }\n")));
  const fs::path data = compile("data", "volatile int x = 4; int main() { return x; }\n");
  EXPECT_FALSE(
      identical_files(data, compile("other_data", "volatile int x = 5; int main() { return x; }\n")));
}

TEST_F(IdentityTest, ComparesOtherFilesByteForByte) {
  write(folder_.path() / "a", "#!/bin/sh\n");
  write(folder_.path() / "b", "#!/bin/sh\n");
  write(folder_.path() / "c", "#!/bin/sh\n\n");
  EXPECT_TRUE(identical_files(folder_.path() / "a", folder_.path() / "b"));
  EXPECT_FALSE(identical_files(folder_.path() / "a", folder_.path() / "c"));
  EXPECT_THROW(static_cast<void>(identical_files(folder_.path() / "a", folder_.path() / "none")),
               std::system_error);
}

TEST_F(IdentityTest, HasNoLoadableHashForWhatIsNoProgram) {
  const std::string elf = read(compile("one", "int main() {}\n"));
  write(folder_.path() / "cut", elf.substr(0, 200));
  write(folder_.path() / "header", elf.substr(0, 20));
  write(folder_.path() / "text", "hello");
  write(folder_.path() / "empty", "");
  for (const char* name : {"cut", "header", "text", "empty", "missing"}) {
    EXPECT_FALSE(loadable_hash(folder_.path() / name)) << name;
  }
  EXPECT_TRUE(loadable_hash(folder_.path() / "one"));
}

TEST_F(IdentityTest, ComparesTheWholeManifest) {
  const fs::path plain = compile("plain", "int main() { return 4; }\n", {"-g0"});
  const fs::path debug = compile("debug", "int main() { return 4; }\n", {"-g"});
  const fs::path other = compile("other", "int main() { return 5; }\n");
  const Executable control = executable("control", {{"main", plain}, {"helper", other}});
  EXPECT_TRUE(identical(control, executable("same", {{"main", debug}, {"helper", other}})));
  EXPECT_FALSE(identical(control, executable("helper", {{"main", plain}, {"helper", plain}})));
  EXPECT_FALSE(identical(control, executable("fewer", {{"main", plain}})));
  EXPECT_FALSE(identical(control, executable("renamed", {{"main", plain}, {"tool", other}})));
}

}  // namespace
}  // namespace tandem::builders
