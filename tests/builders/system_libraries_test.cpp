#include "builders/identity/identity.hpp"

#include <algorithm>

#include "compiled_fixture.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::builders {
namespace {

class SystemLibraries : public CompiledTest {
 protected:
  static std::string path_of(const std::vector<FoundLibrary>& libraries, const std::string& name) {
    for (const FoundLibrary& library : libraries) {
      if (library.name == name) return library.path.string();
    }
    return "not needed";
  }

  /// The libraries that the loader itself says it would take.
  std::vector<std::string> as_the_loader_says(const fs::path& program) {
    runners::Command command;
    command.argv = {"/usr/bin/ldd", program};
    command.environment = git_environment();
    std::istringstream lines(run_command(command, {}).output);
    std::vector<std::string> paths;
    for (std::string word; lines >> word;) {
      if (word.starts_with('/')) paths.push_back(word);
    }
    return paths;
  }
};

TEST_F(SystemLibraries, AreThoseThatTheLoaderTakes) {
  if (!fs::exists("/usr/bin/ldd")) GTEST_SKIP() << "there is no ldd";
  const fs::path program = compile("main", "#include <iostream>\nint main() { std::cout << 1; }\n");
  LibrarySearch search;
  const auto found = search.libraries_of(program);
  const auto said = as_the_loader_says(program);
  ASSERT_FALSE(said.empty());
  for (const std::string& path : said) {
    const auto same = [&](const FoundLibrary& library) {
      std::error_code error;
      return fs::equivalent(library.path, path, error);
    };
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), same)) << path;
  }
  for (const FoundLibrary& library : found) {
    EXPECT_TRUE(library.identity.starts_with("build id ") || library.identity.starts_with("size "))
        << library.name << " " << library.identity;
  }
}

TEST_F(SystemLibraries, AreFoundThroughOriginAndAbsolutePaths) {
  const fs::path lib = folder_.path() / "lib";
  fs::create_directories(lib);
  compile("lib/libone.so", "int one() { return 1; }\n", {"-shared", "-fPIC", "-Wl,-soname,libone.so"});
  const std::string source = "int one(); int main() { return one(); }\n";
  for (const std::string kind : {"-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"}) {
    for (const std::string& path : {std::string("$ORIGIN/lib"), std::string("${ORIGIN}/lib"), lib.string()}) {
      const fs::path program =
          compile("main", source, {"-L" + lib.string(), "-lone", kind, "-Wl,-rpath," + path});
      EXPECT_EQ(path_of(LibrarySearch().libraries_of(program), "libone.so"), (lib / "libone.so").string())
          << kind << path;
    }
  }
  const fs::path lost = compile("main", source, {"-L" + lib.string(), "-lone"});
  EXPECT_EQ(path_of(LibrarySearch().libraries_of(lost), "libone.so"), "");
}

TEST_F(SystemLibraries, InheritRpathButNotRunpath) {
  const fs::path lib = folder_.path() / "lib";
  fs::create_directories(lib);
  const std::vector<std::string> shared = {"-shared", "-fPIC"};
  compile("lib/libinner.so", "int inner() { return 1; }\n", {"-shared", "-fPIC", "-Wl,-soname,libinner.so"});
  compile("lib/libouter.so", "int inner(); int outer() { return inner(); }\n",
          {"-shared", "-fPIC", "-Wl,-soname,libouter.so", "-L" + lib.string(), "-linner"});
  const auto inner = [&](const std::string& kind) {
    const fs::path program = compile(
        "main", "int outer(); int main() { return outer(); }\n",
        {"-L" + lib.string(), "-louter", kind, "-Wl,-rpath,$ORIGIN/lib", "-Wl,-rpath-link," + lib.string()});
    return path_of(LibrarySearch().libraries_of(program), "libinner.so");
  };
  EXPECT_EQ(inner("-Wl,--disable-new-dtags"), (lib / "libinner.so").string());
  EXPECT_EQ(inner("-Wl,--enable-new-dtags"), "");
}

TEST_F(SystemLibraries, AreNoneForWhatIsNoProgram) {
  write(folder_.path() / "script", "#!/bin/sh\n");
  LibrarySearch search;
  EXPECT_TRUE(search.libraries_of(folder_.path() / "script").empty());
  EXPECT_TRUE(search.libraries_of(folder_.path() / "missing").empty());
}

TEST(LoaderCache, IsReadWithinItsBounds) {
  const fs::path file = "/etc/ld.so.cache";
  if (!fs::exists(file)) GTEST_SKIP() << "there is no " << file;
  const MappedFile mapped(file);
  const auto all = read_loader_cache(mapped.bytes());
  EXPECT_TRUE(all.contains("libc.so.6"));
  for (std::size_t size = 0; size < mapped.bytes().size(); size += 997) {
    EXPECT_LE(read_loader_cache(std::string(mapped.bytes().substr(0, size))).size(), all.size());
  }
  EXPECT_TRUE(read_loader_cache("glibc-ld.so.cache1.1").empty());
  EXPECT_TRUE(read_loader_cache("").empty());
}

}  // namespace
}  // namespace tandem::builders
