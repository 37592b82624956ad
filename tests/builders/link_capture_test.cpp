#include "builders/layout/link_capture.hpp"

#include <fmt/format.h>

#include <fstream>

#include "builders/layout/layout.hpp"
#include "relink_fixture.hpp"
#include "runners/process/process.hpp"
#include "specs/foundation/hashes.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

class LinkCaptureTest : public RelinkTest {
 protected:
  void expect_relinks(const std::string& what) {
    const auto kept = collect();
    ASSERT_EQ(kept.unresolved, "") << what;
    const auto layout = relinked(kept.links, 11);
    ASSERT_EQ(layout.sentence, "") << what;
    for (const auto& entry : fs::directory_iterator(out_)) {
      if (entry.path().extension() == ".so") continue;
      const auto original = run(entry.path());
      const auto again = run(layout.directory / entry.path().filename());
      EXPECT_TRUE(again.well) << what << again.errors;
      EXPECT_EQ(again.output, original.output) << what;
    }
  }
};

TEST_F(LinkCaptureTest, EveryLinkerThatIsAskedForIsCaptured) {
  write_program("main.cpp", 10);
  for (const std::string compiler : {"g++", "clang++", "ccache g++"}) {
    if (!has_program(compiler.substr(0, compiler.find(' ')))) continue;
    for (const std::string linker : {"", "-fuse-ld=bfd", "-fuse-ld=gold", "-fuse-ld=lld", "-fuse-ld=mold"}) {
      built(compiler + " $CXXFLAGS main.cpp " + linker + " -o $OUT/program");
      EXPECT_EQ(captured(), 1u) << compiler << linker;
      expect_relinks(compiler + linker);
    }
  }
}

TEST_F(LinkCaptureTest, ParallelLinksDoNotMeet) {
  if (!has_program("make")) GTEST_SKIP() << "make is not installed";
  std::string makefile = "all:";
  for (int i = 0; i < 8; ++i) makefile += fmt::format(" $(OUT)/program{}", i);
  for (int i = 0; i < 8; ++i) {
    write_program(fmt::format("main{}.cpp", i), 5 + i, fmt::format("program {}", i));
    makefile += fmt::format("\n$(OUT)/program{0}: main{0}.cpp\n\tg++ $(CXXFLAGS) main{0}.cpp -o $@\n", i);
  }
  write_source("Makefile", makefile);
  built("make -j4");
  EXPECT_EQ(captured(), 8u);
  expect_relinks("make -j4");
}

TEST_F(LinkCaptureTest, ArchivesResponseFilesAndLongPathsAreCaptured) {
  const std::string deep(90, 'd');
  write_source("part.cpp", "int twice(int x) { return 2 * x; }\nint unused(int x) { return x; }\n");
  write_source("main.cpp",
               "#include <cstdio>\nint twice(int);\nint other(int x) { return twice(x) + 1; }\n"
               "int main(int c, char**) { std::printf(\"%d\\n\", other(c)); }\n");
  built(
      fmt::format("mkdir -p {0}/{0} && g++ $CXXFLAGS -c part.cpp -o {0}/{0}/part.o\n"
                  "ar rcs {0}/libfat.a {0}/{0}/part.o && ar rcsT {0}/libthin.a {0}/{0}/part.o\n"
                  "echo \"main.cpp {0}/libfat.a -o $OUT/fat\" >words && g++ $CXXFLAGS @words\n"
                  "g++ $CXXFLAGS main.cpp {0}/libthin.a -o $OUT/thin",
                  deep));
  EXPECT_EQ(captured(), 2u);
  expect_relinks("archives");
}

TEST_F(LinkCaptureTest, AProgramIsKnownAfterStripAndUnderAnotherName) {
  write_program("main.cpp", 10);
  write_program("unused.cpp", 10);
  built(
      "g++ $CXXFLAGS main.cpp -Wl,--build-id=none -o made && strip made && cp made $OUT/program\n"
      "g++ $CXXFLAGS unused.cpp -o not_kept");
  EXPECT_EQ(captured(), 2u);
  expect_relinks("strip, copy");
  EXPECT_FALSE(fs::exists(captures_ / "kept" / "1.link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(captures_), {}), 1);
}

TEST_F(LinkCaptureTest, OfTwoLinksOfOneOutputTheLastCounts) {
  write_program("main.cpp", 10, "old");
  write_program("other.cpp", 10, "new");
  built("g++ $CXXFLAGS main.cpp -o $OUT/program; g++ $CXXFLAGS other.cpp -o $OUT/program");
  EXPECT_EQ(captured(), 2u);
  expect_relinks("twice");
}

TEST_F(LinkCaptureTest, OnlyWhatTheBuildMadeIsKeptAndOnce) {
  write_program("main.cpp", 10);
  write_source("part.cpp", "int part(int x) { return x + 1; }\nint more(int x) { return part(x); }\n");
  built(
      "g++ $CXXFLAGS -c part.cpp main.cpp && ar rcs libpart.a part.o\n"
      "g++ main.o libpart.a -o $OUT/one && g++ main.o libpart.a -Wl,-E -o $OUT/two");
  const auto kept = collect();
  ASSERT_EQ(kept.unresolved, "");
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(kept.links / "objects")) bytes += entry.file_size();
  EXPECT_EQ(std::distance(fs::directory_iterator(kept.links / "objects"), {}), 2);
  EXPECT_EQ(bytes, fs::file_size(source_ / "main.o") + fs::file_size(source_ / "libpart.a"));
}

TEST_F(LinkCaptureTest, TwoBuildsGiveTheSameBytes) {
  write_source("main.cpp", delicate_program());
  write_source("part.cpp", delicate_part());
  std::vector<std::string> programs;
  for (int i = 0; i < 2; ++i) {
    built("g++ $CXXFLAGS main.cpp part.cpp -pthread -o $OUT/program");
    programs.push_back(sha256_of_file(out_ / "program"));
    const auto kept = collect();
    programs.push_back(sha256_of_file(relinked(kept.links, 3).directory / "program"));
  }
  EXPECT_EQ(programs[0], programs[2]);
  EXPECT_EQ(programs[1], programs[3]);
}

TEST_F(LinkCaptureTest, LinkTimeOptimisationByGccFallsBackWithTheReason) {
  write_program("main.cpp", 10);
  for (const std::string flags : {"-flto", "-flto -ffat-lto-objects"}) {
    built("g++ $CXXFLAGS " + flags + " main.cpp -o $OUT/program");
    EXPECT_EQ(
        collect().unresolved,
        "program cannot be linked again: an object holds GCC's intermediate code (-flto), which lld does "
        "not read");
    EXPECT_TRUE(run(out_ / "program").well);
  }
}

TEST_F(LinkCaptureTest, LinkTimeOptimisationByClangIsRepeated) {
  if (!has_program("clang++")) GTEST_SKIP() << "clang is not installed";
  write_program("main.cpp", 10);
  built("clang++ $CXXFLAGS -flto -fuse-ld=lld main.cpp -o $OUT/program");
  expect_relinks("clang -flto");
}

TEST_F(LinkCaptureTest, WhatDecidesTheLayoutIsTheReason) {
  write_program("main.cpp", 10);
  write_source("insert.ld", "SECTIONS { .mine : { *(.mine) } } INSERT AFTER .data;\n");
  write_source("order", "main\n");
  const std::string start = "program cannot be linked again: ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-Wl,-T,insert.ld", "a linker script decides the layout"},
      {"insert.ld", "a linker script decides the layout"},
      {"-fuse-ld=lld -Wl,--symbol-ordering-file=order", "an order file decides the layout"},
      {"-Wl,-z,keep-text-section-prefix", "'-z keep-text-section-prefix' of its link decides the layout"},
      {"-no-pie -Wl,-Ttext=0x500000", "the option '--Ttext' of its link decides the layout"},
  };
  for (const auto& [flags, reason] : cases) {
    built("g++ $CXXFLAGS main.cpp " + flags + " -o $OUT/program");
    EXPECT_EQ(collect().unresolved, start + reason) << flags;
  }
}

TEST_F(LinkCaptureTest, WhatLldCannotDoIsLinkedByTheOtherLinker) {
  if (!has_program("ld.bfd")) GTEST_SKIP() << "GNU ld is not installed";
  write_program("main.cpp", 10);
  built("g++ $CXXFLAGS main.cpp -Wl,--no-warn-rwx-segments -o $OUT/program");
  EXPECT_TRUE(run(out_ / "program").well);
  EXPECT_EQ(collect().unresolved,
            "program cannot be linked again: lld: unknown argument '--no-warn-rwx-segments'");
}

TEST_F(LinkCaptureTest, TrialsQueriesAndRelocatableLinksAreNotCaptured) {
  write_source("main.cpp", "int main() {}\n");
  built(
      "g++ main.cpp -o conftest; g++ -r main.cpp -o whole.o; g++ main.cpp -o /dev/null\n"
      "mkdir -p CMakeFiles/CMakeScratch/x && g++ main.cpp -o CMakeFiles/CMakeScratch/x/cmTC_12345");
  EXPECT_TRUE(fs::is_empty(captures_));
  const auto ended = build("g++ -Wl,--version; $(g++ -print-prog-name=ld) -v");
  EXPECT_TRUE(ended.well) << ended.errors;
  EXPECT_NE(ended.output.find("LLD"), std::string::npos) << ended.output;
  EXPECT_TRUE(fs::is_empty(captures_));
}

TEST_F(LinkCaptureTest, ABuildInASandboxIsCapturedToo) {
  const auto found = runners::find_sandbox(tests::paths::shim);
  if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
  write_program("main.cpp", 10);
  const LinkCapture capture("/build/linker", "/usr/bin/ld.lld", captures_, "/build/links");
  runners::Command command;
  command.argv = {"/bin/sh", "-euc", "g++ -O1 -ffunction-sections main.cpp -o /build/out/program"};
  command.environment = capture.environment();
  command.environment.emplace_back("PATH=/usr/bin:/bin");
  command.working_directory = "/build/source";
  using Access = runners::Sandbox::Access;
  command.sandbox.emplace();
  command.sandbox->tools = std::get<runners::SandboxTools>(found);
  command.sandbox->mounts = {{source_, "/build/source", Access::write},
                             {out_, "/build/out", Access::write},
                             {captures_, "/build/links", Access::write},
                             {tests::paths::linker, "/build/linker", Access::read}};
  runners::give_to_sandbox(folder_.path());
  const auto finished = run_command(command, {});
  ASSERT_TRUE(finished.succeeded()) << finished.errors;
  EXPECT_EQ(captured(), 1u);
  expect_relinks("sandbox");
}

TEST_F(LinkCaptureTest, WhatWasNotLinkedHereIsSaid) {
  write_source("main.cpp", "int main() {}\n");
  built("env -u COMPILER_PATH g++ main.cpp -o $OUT/program");
  EXPECT_EQ(collect().unresolved, "program was not linked by a linker that could be captured");
  fs::remove(out_ / "program");
  EXPECT_EQ(collect().unresolved, "the build linked no program and no shared library of its own");
}

TEST_F(LinkCaptureTest, AForeignSharedLibraryStaysAsItIs) {
  write_program("main.cpp", 10);
  built(
      "g++ $CXXFLAGS main.cpp -o $OUT/program\n"
      "echo 'int f() { return 1; } int g() { return 2; }' >lib.cpp\n"
      "env -u COMPILER_PATH g++ -shared -fPIC lib.cpp -o $OUT/libforeign.so");
  const std::string before = sha256_of_file(out_ / "libforeign.so");
  const auto kept = collect();
  ASSERT_EQ(kept.unresolved, "");
  const auto layout = relinked(kept.links, 1);
  EXPECT_EQ(layout.sentence, "");
  EXPECT_EQ(sha256_of_file(layout.directory / "libforeign.so"), before);
}

TEST_F(LinkCaptureTest, AnInstallationThatChangesTheSearchPathIsFollowed) {
  if (!has_program("cmake") || !has_program("make")) GTEST_SKIP() << "cmake or make is not installed";
  write_source("library.cpp",
               "int twice(int x) { return 2 * x; }\nint thrice(int x) { return twice(x) + x; }\n");
  write_source("main.cpp",
               "#include <cstdio>\nint thrice(int);\nint other(int x) { return thrice(x); }\n"
               "int main(int c, char**) { std::printf(\"%d\\n\", other(c)); }\n");
  write_source(
      "CMakeLists.txt",
      "cmake_minimum_required(VERSION 3.20)\nproject(own CXX)\nfind_package(Threads REQUIRED)\n"
      "add_library(own SHARED library.cpp)\nadd_executable(program main.cpp)\n"
      "target_link_libraries(program own)\nset_target_properties(program PROPERTIES INSTALL_RPATH $ORIGIN)\n"
      "install(TARGETS own program LIBRARY DESTINATION . RUNTIME DESTINATION .)\n");
  built("cmake -G 'Unix Makefiles' -B made . && cmake --build made && cmake --install made --prefix $OUT");
  EXPECT_EQ(captured(), 2u);
  expect_relinks("cmake --install");
}

}  // namespace
}  // namespace tandem::builders
