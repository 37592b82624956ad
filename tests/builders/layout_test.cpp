#include "builders/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "builders/identity/elf.hpp"
#include "builders/layout/link_capture.hpp"
#include "relink_fixture.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using LayoutTest = RelinkTest;

/// The kept link of a build of one program.
fs::path only_link(const fs::path& links) {
  return links / "0.link";
}

TEST_F(LayoutTest, SixteenSeedsAreSixteenOrdersOfOneProgram) {
  write_program("main.cpp", 40);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto kept = collect();
  ASSERT_EQ(kept.unresolved, "");
  const std::string line = run(out_ / "program").output;
  ASSERT_NE(line, "");
  std::set<std::vector<std::string>> orders = {function_order(out_ / "program")};
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const auto layout = relinked(kept.links, seed);
    ASSERT_EQ(layout.sentence, "") << seed;
    EXPECT_EQ(run(layout.directory / "program").output, line);
    orders.insert(function_order(layout.directory / "program"));
  }
  EXPECT_EQ(orders.size(), 17u);
}

TEST_F(LayoutTest, TheSameSeedGivesTheSameBytesAndLeavesNothingElse) {
  write_program("main.cpp", 20);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program && chmod 750 $OUT/program && echo data >$OUT/data");
  const auto kept = collect();
  const auto one = relinked(kept.links, 7);
  const auto two = relinked(kept.links, 7);
  ASSERT_EQ(one.sentence + two.sentence, "");
  EXPECT_EQ(sha256_of_folder(one.directory), sha256_of_folder(two.directory));
  EXPECT_NE(sha256_of_folder(one.directory), sha256_of_folder(out_));
  EXPECT_EQ(fs::status(one.directory / "program").permissions(), fs::perms(0750));
  EXPECT_EQ(std::distance(fs::directory_iterator(one.directory), {}), 2);
}

TEST_F(LayoutTest, ExceptionsThreadLocalsAndStaticInitialisersWorkInEveryOrder) {
  write_source("main.cpp", delicate_program());
  write_source("part.cpp", delicate_part());
  for (const std::string compiler : {"g++", "clang++"}) {
    for (const std::string flags : {"", "-static", "-static-libstdc++ -static-libgcc -no-pie"}) {
      if (!has_program(compiler)) continue;
      built(compiler + " $CXXFLAGS main.cpp part.cpp -pthread " + flags + " -o $OUT/program");
      const auto kept = collect();
      ASSERT_EQ(kept.unresolved, "") << compiler << flags;
      const std::string line = run(out_ / "program").output;
      EXPECT_EQ(line, "caught 42 first second unwound 41 alphabetagamma\n");
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto layout = relinked(kept.links, seed);
        ASSERT_EQ(layout.sentence, "") << compiler << flags;
        EXPECT_EQ(run(layout.directory / "program").output, line) << compiler << flags;
      }
    }
  }
}

TEST_F(LayoutTest, ASharedLibraryAndTheProgramBesideItAreBothRelinked) {
  write_source("library.cpp",
               "int twice(int x) { return 2 * x; }\nint thrice(int x) { return 3 * x; }\n"
               "int often(int x) { return twice(x) + thrice(x); }\n");
  write_source("main.cpp",
               "#include <cstdio>\nint often(int);\nint twice(int);\n"
               "int other(int x) { return twice(x); }\nint more(int x) { return other(x) + 1; }\n"
               "int main(int c, char**) { std::printf(\"%d\\n\", often(c) + more(c)); }\n");
  built(
      "g++ $CXXFLAGS -fPIC -shared library.cpp -Wl,-soname,libown.so -o $OUT/libown.so\n"
      "g++ $CXXFLAGS main.cpp -L$OUT -lown '-Wl,-rpath,$ORIGIN' -o $OUT/program");
  const auto kept = collect();
  ASSERT_EQ(kept.unresolved, "");
  const auto layout = relinked(kept.links, 3);
  ASSERT_EQ(layout.sentence, "");
  EXPECT_EQ(run(layout.directory / "program").output, "8\n");
  for (const char* name : {"program", "libown.so"}) {
    EXPECT_NE(function_order(layout.directory / name), function_order(out_ / name)) << name;
  }
}

TEST_F(LayoutTest, WhatWasStrippedIsStrippedAgain) {
  write_program("main.cpp", 20);
  built(
      "g++ -g $CXXFLAGS main.cpp -o $OUT/whole && cp $OUT/whole $OUT/bare && strip $OUT/bare\n"
      "cp $OUT/whole $OUT/quiet && strip -g $OUT/quiet");
  const auto kept = collect();
  ASSERT_EQ(kept.unresolved, "");
  const auto layout = relinked(kept.links, 5);
  ASSERT_EQ(layout.sentence, "");
  for (const char* name : {"whole", "bare", "quiet"}) {
    const auto built_facts = elf_facts(out_ / name);
    const auto facts = elf_facts(layout.directory / name);
    ASSERT_TRUE(built_facts && facts);
    EXPECT_EQ(facts->has_symbols, built_facts->has_symbols) << name;
    EXPECT_EQ(facts->has_debug, built_facts->has_debug) << name;
    EXPECT_NE(facts->code, built_facts->code) << name;
    EXPECT_EQ(run(layout.directory / name).output, run(out_ / name).output);
  }
  EXPECT_TRUE(function_order(layout.directory / "bare").empty());
}

TEST_F(LayoutTest, AProgramOfOneFunctionSaysSo) {
  write_source("main.cpp", "int main() { return 0; }\n");
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto layout = relinked(collect().links, 1);
  EXPECT_EQ(layout.sentence,
            "program cannot be put into another order: it has one function only, which has no order");
}

TEST_F(LayoutTest, ObjectsWithoutFunctionSectionsKeepTheirOrder) {
  write_program("main.cpp", 20);
  built("g++ -O1 main.cpp -o $OUT/program");
  const auto layout = relinked(collect().links, 1);
  EXPECT_EQ(layout.sentence,
            "program cannot be put into another order: its functions keep their order, as without "
            "-ffunction-sections");
}

TEST_F(LayoutTest, AChangedSystemFileIsRefused) {
  write_program("main.cpp", 20);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto kept = collect();
  KeptLink link = kept_link_from(read(only_link(kept.links)));
  ASSERT_FALSE(link.system.empty());
  // Another time of the same content is no change; another content is.
  for (auto& system : link.system) system.stamp = "0-0-0.0-0.0";
  std::ofstream(only_link(kept.links)) << to_text(link);
  EXPECT_EQ(relinked(kept.links, 1).sentence, "");
  link.system.back().input.sha256 = sha256_of("another library");
  std::ofstream(only_link(kept.links)) << to_text(link);
  EXPECT_EQ(relinked(kept.links, 1).sentence,
            fmt::format("/{} is no longer the file that the build was linked with; build again",
                        link.system.back().input.path));
}

TEST_F(LayoutTest, AMissingObjectIsASentenceAndADamagedDescriptionAnError) {
  write_program("main.cpp", 20);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto kept = collect();
  const std::string text = read(only_link(kept.links));
  const KeptLink link = kept_link_from(text);
  fs::remove(kept.links / "objects" / link.objects.front().sha256);
  EXPECT_EQ(relinked(kept.links, 1).sentence,
            fmt::format("the kept object {} is gone", link.objects.front().sha256));
  const std::vector<std::string> wrong = {"program ../program",
                                          "program /bin/sh",
                                          "object 12 a.o",
                                          "whatever 1",
                                          "x",
                                          "object " + std::string(64, 'a') + " ../../a.o"};
  for (const auto& line : wrong) {
    std::ofstream(only_link(kept.links)) << text << line << '\n';
    EXPECT_THROW(relinked(kept.links, 1), Error) << line;
  }
}

TEST_F(LayoutTest, AnotherProgramUnderTheNameIsNoticed) {
  write_program("main.cpp", 20);
  write_program("other.cpp", 21);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto kept = collect();
  built("g++ $CXXFLAGS other.cpp -o $OUT/program");
  EXPECT_EQ(
      relinked(kept.links, 1).sentence,
      "program linked again is not the same program: sections that hold no function have another size than "
      "as built");
}

TEST_F(LayoutTest, InASandboxTheBytesAreTheSame) {
  const auto found = runners::find_sandbox(tests::paths::shim);
  if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
  write_program("main.cpp", 20);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto kept = collect();
  const auto outside = relinked(kept.links, 7);
  const auto failure =
      relink(kept.links, "/usr/bin/ld.lld", 7, out_, {}, {std::get<runners::SandboxTools>(found)});
  ASSERT_FALSE(failure) << failure->sentence;
  EXPECT_EQ(sha256_of_folder(out_), sha256_of_folder(outside.directory));
}

TEST_F(LayoutTest, StopsWhenAsked) {
  write_program("main.cpp", 20);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto kept = collect();
  std::stop_source source;
  source.request_stop();
  const auto failure = relink(kept.links, "/usr/bin/ld.lld", 1, out_, source.get_token());
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->sentence.find("program was not linked again: lld "), 0u) << failure->sentence;
  EXPECT_EQ(failure->kind, RelinkFailure::Kind::may_pass);
}

/// Linkers that are shell scripts, each with what it says about the program.
class FailingLinker : public RelinkTest {
 protected:
  RelinkFailure with_linker(const std::string& script, const LinkIsolation& isolation = {}) {
    write_program("main.cpp", 20);
    built("g++ $CXXFLAGS main.cpp -o $OUT/program");
    const auto kept = collect();
    const fs::path lld = kept.links / "linker";  // a sandbox shows this folder
    std::ofstream(lld) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(lld, fs::perms(0755));
    const auto failure = relink(kept.links, lld, 1, out_, {}, isolation);
    return failure.value_or(RelinkFailure{RelinkFailure::Kind::not_possible, "it was linked"});
  }
};

TEST_F(FailingLinker, ThatRefusesWouldRefuseAgain) {
  const auto failure = with_linker("echo 'ld.lld: error: unknown argument --mad' >&2; exit 1");
  EXPECT_EQ(failure.kind, RelinkFailure::Kind::not_possible);
  EXPECT_NE(failure.sentence.find("unknown argument --mad"), std::string::npos) << failure.sentence;
}

TEST_F(FailingLinker, ThatIsKilledMayEndAnotherTime) {
  EXPECT_EQ(with_linker("kill -9 $$").kind, RelinkFailure::Kind::may_pass);
}

TEST_F(FailingLinker, ThatFindsNoRoomMayEndAnotherTime) {
  EXPECT_EQ(
      with_linker("echo 'ld.lld: error: failed to write output: No space left on device' >&2; exit 1").kind,
      RelinkFailure::Kind::may_pass);
}

TEST_F(FailingLinker, ThatIsNotThereMayBeThereAnotherTime) {
  write_program("main.cpp", 20);
  built("g++ $CXXFLAGS main.cpp -o $OUT/program");
  const auto failure = relink(collect().links, folder_.path() / "gone", 1, out_);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, RelinkFailure::Kind::may_pass);
}

TEST_F(FailingLinker, HasTheLimitsOfTheBuildInASandbox) {
  const auto found = runners::find_sandbox(tests::paths::shim);
  if (const auto* why = std::get_if<std::string>(&found)) GTEST_SKIP() << *why;
  LinkIsolation isolation{std::get<runners::SandboxTools>(found)};
  isolation.processes = 4;
  const auto many = with_linker("for i in 1 2 3 4 5 6 7 8; do sleep 60 & done; wait; exit 1", isolation);
  EXPECT_NE(many.sentence.find("processes"), std::string::npos) << many.sentence;
  isolation.processes = 0;
  isolation.memory_bytes = std::uint64_t{64} << 20;
  const auto much = with_linker("head -c 300000000 /dev/zero | tail -c 299999999 | sleep 60", isolation);
  EXPECT_NE(much.sentence.find("memory"), std::string::npos) << much.sentence;
}

}  // namespace
}  // namespace tandem::builders
