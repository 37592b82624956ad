#include <gtest/gtest.h>

#include "builders/layout/link_capture.hpp"
#include "builders/layout/linker/link_record.hpp"
#include "relink_fixture.hpp"

namespace tandem::builders {
namespace {

using Words = std::vector<std::string>;

Words kept(const std::string& response, const Words& inputs = {}) {
  const auto result = options_to_repeat(response, inputs);
  EXPECT_TRUE(std::holds_alternative<Words>(result)) << std::get<std::string>(result);
  return std::holds_alternative<Words>(result) ? std::get<Words>(result) : Words{};
}

std::string refused(const std::string& response, const Words& inputs = {}) {
  const auto result = options_to_repeat(response, inputs);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "nothing";
}

TEST(LinkOptions, WhatDecidesTheProgramIsKeptAndWhatWritesFilesIsNot) {
  EXPECT_EQ(
      kept("--chroot .\n-plugin /usr/lib/liblto_plugin.so\n-plugin-opt=-pass-through=-lc\n--build-id\n"
           "-m elf_x86_64\n--hash-style gnu\n-z now\n-O 2\n-Map=/etc/passwd\n--dependency-file /etc/passwd\n"
           "-o a\nmy/a.o\n-L usr/lib\n-l c\n--icf=all\n--version-script my/map\n",
           {"my/a.o", "my/map"}),
      (Words{"--build-id", "-m", "elf_x86_64", "--hash-style", "gnu", "-z", "now", "-O", "2", "my/a.o", "-L",
             "usr/lib", "-l", "c", "--icf=all", "--version-script", "my/map"}));
}

TEST(LinkOptions, WhatDecidesTheLayoutIsNamed) {
  EXPECT_EQ(refused("--script my/x.ld"), "a linker script decides the layout");
  EXPECT_EQ(refused("-T my/x.ld"), "a linker script decides the layout");
  EXPECT_EQ(refused("--symbol-ordering-file my/order"), "an order file decides the layout");
  EXPECT_EQ(refused("--call-graph-ordering-file=my/order"), "an order file decides the layout");
  EXPECT_EQ(refused("--lto-sample-profile=p"), "a profile decides the layout");
  EXPECT_EQ(refused("-plugin-opt=sample-profile=p"), "a profile decides the layout");
  EXPECT_EQ(refused("-z keep-text-section-prefix"),
            "'-z keep-text-section-prefix' of its link decides the layout");
  EXPECT_EQ(refused("-z max-page-size=0x200000"),
            "'-z max-page-size=0x200000' of its link decides the layout");
  EXPECT_EQ(refused("-Ttext=0x400000"), "the option '-Ttext' of its link decides the layout");
  EXPECT_EQ(refused("--sort-section=name"), "the option '--sort-section' of its link decides the layout");
}

TEST(LinkOptions, WhatCouldRunCodeOrReadElsewhereIsRefused) {
  for (const char* option :
       {"--error-handling-script=/bin/sh", "-mllvm -load=x.so", "--mllvm=-load=x.so",
        "-plugin-opt=-load=x.so", "--load-pass-plugin=x.so", "@more", "-error-handling-script=/bin/sh",
        "-rpath --mllvm=x", "-plugin-opt=thinlto-index-only=x", "/etc/passwd", "a.o",
        "--version-script /etc/passwd", "-L ../..", "-L /etc", "-L", "-l ../../etc/x",
        "--just-symbols=/etc/passwd", "--no-such-option"}) {
    EXPECT_NE(refused(option, {"b.o"}), "nothing") << option;
  }
}

TEST(LinkOptions, PathsStayBelow) {
  for (const char* path : {"a", "a/b.o", "a/..b", ".a"}) EXPECT_TRUE(stays_below(path)) << path;
  for (const char* path : {"", "/a", "..", "a/../../b", "a/..", "a\nb"})
    EXPECT_FALSE(stays_below(path)) << path;
}

TEST(LinkArguments, ResponseFilesAreSplitAsTheLinkersSplitThem) {
  EXPECT_EQ(response_words("a  'b c'\n\"d \\\" e\"\\ f '' g\\\\"),
            (Words{"a", "b c", "d \" e f", "", "g\\"}));
  EXPECT_EQ(response_words(""), Words{});
}

TEST(LinkArguments, TellsWhatIsAskedFor) {
  using What = LinkArguments::What;
  const auto what = [](const Words& words) { return understand(words, "/nowhere/build").what; };
  EXPECT_EQ(what({"a.o", "-o", "a"}), What::final_link);
  EXPECT_EQ(what({"-v", "a.o", "-o", "a"}), What::final_link);
  EXPECT_EQ(what({"-v"}), What::query);
  EXPECT_EQ(what({"a.o", "--version"}), What::query);
  EXPECT_EQ(what({"-r", "a.o", "-o", "b.o"}), What::relocatable);
  EXPECT_EQ(what({"a.o", "-o", "conftest"}), What::trial);
  EXPECT_EQ(what({"a.o", "-o", "CMakeFiles/CMakeScratch/TryCompile-x/cmTC_1"}), What::trial);
  EXPECT_EQ(what({"a.o", "-o", "/b/meson-private/tmp/output.exe"}), What::trial);
  EXPECT_EQ(what({"a.o", "-o", "/dev/null"}), What::trial);
  EXPECT_EQ(understand({"-shared", "a.o", "-oliba.so"}, "/b").output, "/b/liba.so");
  EXPECT_EQ(understand({"--output=../a"}, "/b/c").output, "/b/a");
}

TEST(LinkArguments, ABuildIdThatTellsLinksApartIsLeftAlone) {
  using BuildId = LinkArguments::BuildId;
  const auto id = [](const Words& words) { return understand(words, "/b").build_id; };
  EXPECT_EQ(id({"a.o"}), BuildId::absent);
  EXPECT_EQ(id({"--build-id"}), BuildId::by_content);
  EXPECT_EQ(id({"--build-id=sha1"}), BuildId::by_content);
  EXPECT_EQ(id({"--build-id", "--build-id=none"}), BuildId::absent);
  EXPECT_EQ(id({"--build-id=0x1234"}), BuildId::absent);
  EXPECT_EQ(id({"--build-id=uuid"}), BuildId::absent);
}

TEST(LinkRecord, IsReadWholeOrNotAtAll) {
  const tandem::tests::TemporaryDirectory folder;
  const LinkRecord record{"/b/a", "0123", "", {"b/a.o"}, {"usr/lib/libc.so"}};
  write_record(folder.path() / "record", record);
  const std::string text = read(folder.path() / "record");
  const auto again = record_from(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->output, record.output);
  EXPECT_EQ(again->inputs, record.inputs);
  EXPECT_EQ(again->system, record.system);
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(record_from(text.substr(0, length))) << length;
  }
  EXPECT_FALSE(record_from(text + "more"));
}

}  // namespace
}  // namespace tandem::builders
