#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "specs/json/document.hpp"
#include "tests/specs/at_pointer.hpp"
#include "tests/specs/messages.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;

Node parsed(std::string text) {
  return JsonDocument::parse(std::move(text), "f.json").root();
}

std::string parse_error(std::string text) {
  return message_of([&] { parsed(std::move(text)); });
}

TEST(JsonDocument, ReadsEveryKindOfValue) {
  const Node root =
      parsed(R"({"n": null, "t": true, "i": -3, "d": 0.50, "s": "x\ny", "a": [1, [2]], "o": {}})");
  EXPECT_EQ(root.at("n").kind(), Kind::null);
  EXPECT_TRUE(root.at("t").as_bool());
  EXPECT_EQ(root.at("i").as_integer(), -3);
  EXPECT_DOUBLE_EQ(root.at("d").as_number(), 0.5);
  EXPECT_EQ(root.at("d").scalar_text(), "0.50");
  EXPECT_EQ(root.at("s").as_string(), "x\ny");
  ASSERT_EQ(root.at("a").items().size(), 2U);
  EXPECT_EQ(root.at("a").items()[1].items()[0].as_integer(), 2);
  EXPECT_TRUE(root.at("o").members().empty());
  EXPECT_FALSE(root.has("missing"));
}

TEST(JsonDocument, KeepsMembersInFileOrder) {
  const auto members = parsed(R"({"z": 1, "a": 2, "m": 3})").members();
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(members[0].key, "z");
  EXPECT_EQ(members[1].key, "a");
  EXPECT_EQ(members[2].key, "m");
}

TEST(JsonDocument, KnowsLineAndColumnOfEveryValue) {
  const JsonDocument document = JsonDocument::parse(
      "// a comment, with [brackets] and \"quotes\"\n"
      "{ /* here */ \"a\" /* : */ : // and here\n"
      "  [1,22 , true,\"x,:\\\"\", {\"é\" : null}, []],\n"
      "\t\"b/c\":{\"~\":-1.5e3}\n"
      "}",
      "f.json");
  const auto at = [&](const char* pointer) { return at_pointer(document, pointer).value().position(); };
  EXPECT_EQ(at(""), (Position{2, 1}));
  EXPECT_EQ(at("/a"), (Position{3, 3}));
  EXPECT_EQ(at("/a/0"), (Position{3, 4}));
  EXPECT_EQ(at("/a/1"), (Position{3, 6}));
  EXPECT_EQ(at("/a/2"), (Position{3, 11}));
  EXPECT_EQ(at("/a/3"), (Position{3, 16}));
  EXPECT_EQ(at("/a/4"), (Position{3, 25}));
  EXPECT_EQ(at("/a/4/é"), (Position{3, 32})) << "columns count characters, not bytes";
  EXPECT_EQ(at("/a/5"), (Position{3, 39}));
  EXPECT_EQ(at("/b~1c"), (Position{4, 8}));
  EXPECT_EQ(at("/b~1c/~0"), (Position{4, 13}));
  EXPECT_EQ(at_pointer(document, "/b~1c/~0").value().pointer(), "/b~1c/~0");
  EXPECT_FALSE(at_pointer(document, "/a/6").has_value());
  EXPECT_FALSE(at_pointer(document, "/a/x").has_value());
  EXPECT_FALSE(at_pointer(document, "/b~1c/none").has_value());
  EXPECT_FALSE(at_pointer(document, "a").has_value());
}

TEST(JsonDocument, CountsColumnsInLongLines) {
  std::string text = "[\"";
  for (int i = 0; i < 3000; ++i) text += "é";
  text += "\",\n\"";
  for (int i = 0; i < 5000; ++i) text += "ü";
  text += "\", 1]";
  const auto items = parsed(text).items();
  EXPECT_EQ(items[1].position(), (Position{2, 1}));
  EXPECT_EQ(items[2].position(), (Position{2, 5005}));
}

TEST(JsonDocument, SkipsAByteOrderMark) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF{\"a\": 1}").at("a").as_integer(), 1);
}

TEST(JsonDocument, NodesOutliveTheirDocument) {
  const Node node = JsonDocument::parse(R"({"a": ["kept"]})", "f.json").root().at("a").items()[0];
  EXPECT_EQ(node.as_string(), "kept");
}

TEST(JsonDocument, SaysFoundAndExpectedForAWrongType) {
  const Node root = parsed("{\"s\": \"text\",\n \"n\": 2.5,\n \"a\": [1]}");
  EXPECT_EQ(message_of([&] { (void)root.at("n").as_string(); }),
            "f.json:2:7: /n: found 2.5; expected a string");
  EXPECT_EQ(message_of([&] { (void)root.at("s").as_number(); }),
            "f.json:1:7: /s: found the string \"text\"; expected a number");
  EXPECT_EQ(message_of([&] { (void)root.at("s").as_bool(); }),
            "f.json:1:7: /s: found the string \"text\"; expected true or false");
  EXPECT_EQ(message_of([&] { (void)root.at("n").as_integer(); }),
            "f.json:2:7: /n: found 2.5; expected a whole number");
  EXPECT_EQ(message_of([&] { (void)root.at("a").members(); }),
            "f.json:3:7: /a: found an array; expected an object");
  EXPECT_EQ(message_of([&] { (void)root.items(); }), "f.json:1:1: found an object; expected an array");
  EXPECT_EQ(message_of([&] { (void)root.at("a").scalar_text(); }),
            "f.json:3:7: /a: found an array; expected a string, a number, or true or false");
}

TEST(JsonDocument, SaysTheRangeOfANumber) {
  const Node root = parsed(R"({"n": 0, "big": 18446744073709551615, "x": 1.5})");
  EXPECT_EQ(message_of([&] { (void)root.at("n").as_integer(1, 9); }),
            "f.json:1:7: /n: found 0; expected a whole number from 1 to 9");
  EXPECT_EQ(message_of([&] { (void)root.at("n").as_integer(1); }),
            "f.json:1:7: /n: found 0; expected a whole number of at least 1");
  EXPECT_EQ(message_of([&] { (void)root.at("big").as_integer(); }),
            "f.json:1:17: /big: found 18446744073709551615; expected a whole number");
  EXPECT_EQ(message_of([&] { (void)root.at("x").as_number(0, 1); }),
            "f.json:1:44: /x: found 1.5; expected a number from 0 to 1");
}

TEST(JsonDocument, TakesAWholeNumberWrittenAsADecimal) {
  EXPECT_EQ(parsed("[1e3]").items()[0].as_integer(), 1000);
  EXPECT_EQ(parsed("[-2.0]").items()[0].as_integer(), -2);
}

TEST(JsonDocument, NamesTheMissingKey) {
  EXPECT_EQ(message_of([&] { (void)parsed("{\n\"o\": {}}").at("o").at("metric"); }),
            "f.json:2:6: /o: required key \"metric\" is missing; add it to this object");
}

TEST(JsonDocument, NamesTheUnknownKeyTheNearestAndTheAllowedOnes) {
  const Node root = parsed("{\"iter\": 1,\n  \"identifer\": \"x\"}");
  Problems first(Problems::Mode::stop_at_first);
  EXPECT_EQ(message_of([&] {
              root.expect_keys({"iter", "identifier"}, first);
            }),
            "f.json:2:3: /identifer: unknown key \"identifer\"; did you mean \"identifier\"? allowed here: "
            "\"iter\", "
            "\"identifier\"");
  EXPECT_EQ(message_of([&] {
              root.expect_keys({"iter", "warmup"}, first);
            }),
            "f.json:2:3: /identifer: unknown key \"identifer\"; allowed here: \"iter\", \"warmup\"");
  EXPECT_EQ(message_of([&] {
              (void)root.at("identifer").as_choice({"a", "b"});
            }),
            "f.json:2:16: /identifer: found the string \"x\"; expected one of \"a\", \"b\"");
}

TEST(JsonDocument, RefusesAKeyThatAppearsTwice) {
  EXPECT_EQ(parse_error("{\"a\": {\"b\": 1,\n \"b\": 2}}"),
            "f.json:2:2: /a/b: key \"b\" appears twice in this object; keep one of them");
  EXPECT_EQ(parsed(R"([{"b": 1}, {"b": 2}])").items().size(), 2U) << "in two objects it is no duplicate";
}

TEST(JsonDocument, KeepsTheFirstOfTwoEqualKeysWhenCollecting) {
  Problems problems(Problems::Mode::collect);
  const auto document = JsonDocument::parse(R"({"a": 1, "a": {"x": 2}, "b": 3, "b": 4})", "f.json", problems);
  EXPECT_EQ(problems.found().size(), 2U);
  EXPECT_EQ(document.root().at("a").as_integer(), 1);
  EXPECT_EQ(document.root().members().size(), 2U);
}

TEST(JsonDocument, CollectsAllUnknownKeysOnceEach) {
  Problems problems(Problems::Mode::collect);
  const Node root = parsed(R"({"x": 1, "y": 2, "z": 3})");
  root.expect_keys({"y"}, problems);
  root.expect_keys({"y"}, problems);
  ASSERT_EQ(problems.found().size(), 2U);
  EXPECT_EQ(problems.found()[0].text(),
            "f.json:1:2: /x: unknown key \"x\"; did you mean \"y\"? allowed here: \"y\"");
  EXPECT_EQ(problems.found()[1].pointer, "/z");
}

TEST(JsonDocument, SaysWhereTextIsNotJson) {
  EXPECT_EQ(parse_error(""),
            "f.json:1:1: not valid JSON: unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(parse_error("{\"a\": [1, 2"),
            "f.json:1:12: /a: not valid JSON: unexpected end of input; expected ']'");
  EXPECT_EQ(parse_error("{\n  \"a\": 1,\n}"),
            "f.json:3:1: not valid JSON: a comma stands before the closing bracket; remove the comma");
  EXPECT_EQ(parse_error("[1, // ,\n]"),
            "f.json:2:1: not valid JSON: a comma stands before the closing bracket; remove the comma");
  EXPECT_EQ(parse_error("{\"a\" 1}"), "f.json:1:6: not valid JSON: unexpected number literal; expected ':'");
  EXPECT_EQ(parse_error("[1] x"),
            "f.json:1:5: not valid JSON: invalid literal; last read: '1] x'; expected end of "
            "input");
  EXPECT_EQ(parse_error("[1e999]"),
            "f.json:1:2: not valid JSON: the number is too large; write one of at most 1.7e308");
}

TEST(JsonDocument, RefusesNulBytesEverywhere) {
  EXPECT_EQ(parse_error(std::string("{}\n\0x", 5)),
            "f.json:2:1: a NUL byte; JSON is text, write it as UTF-8 without NUL bytes");
}

TEST(JsonDocument, RefusesBytesThatAreNotUtf8EvenInComments) {
  EXPECT_EQ(parse_error("[\"\xff\"]"), "f.json:1:3: byte 0xff is not UTF-8; save the file as UTF-8");
  EXPECT_EQ(parse_error("// \xe9t\xe9\n{}"), "f.json:1:4: byte 0xe9 is not UTF-8; save the file as UTF-8");
  EXPECT_NE(parse_error("[\"\xc0\x80\"]"), "no error") << "an overlong form";
  EXPECT_NE(parse_error("[\"\xed\xa0\x80\"]"), "no error") << "a surrogate";
  EXPECT_NE(parse_error("[\"\xf4\x90\x80\x80\"]"), "no error") << "beyond the last code point";
  EXPECT_NE(parse_error("[\"\xe2\x82"), "no error") << "cut inside a character";
  EXPECT_EQ(parsed("[\"\xf0\x9f\x9a\xb2\"]").items()[0].as_string(), "\xf0\x9f\x9a\xb2");
}

TEST(JsonDocument, RefusesDeepNestingLargeTextsAndManyValues) {
  EXPECT_EQ(parse_error(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_EQ(parse_error(std::string(65, '[')).substr(0, 13), "f.json:1:65: ");
  EXPECT_NE(parse_error(std::string(3'000'000, '[')).find("nested more than 64 deep; flatten them"),
            std::string::npos);
  EXPECT_EQ(parse_error(std::string((4 << 20) + 1, ' ')), "f.json: is larger than 4194304 bytes; split it");
  std::string many = "[0";
  for (int i = 0; i < 250'000; ++i) many += ",0";
  EXPECT_NE(parse_error(many + "]").find("the file holds more than 250000 values; split it"),
            std::string::npos);
}

TEST(JsonDocument, KeepsMessagesShortForLongKeysAndControlCharacters) {
  const Node root = parsed("{\"" + std::string(1'000'000, 'k') + "\": 1, \"\\u0007\": 2}");
  Problems problems(Problems::Mode::collect);
  root.expect_keys({"a"}, problems);
  ASSERT_EQ(problems.found().size(), 2U);
  EXPECT_LT(problems.found()[0].text().size(), 500U);
  EXPECT_EQ(problems.found()[1].text(),
            "f.json:1:1000009: /?: unknown key \"?\"; did you mean \"a\"? allowed here: \"a\"");
}

TEST(JsonDocument, SaysWhyAFileCannotBeRead) {
  const auto folder = std::filesystem::temp_directory_path();
  EXPECT_EQ(message_of([&] { (void)JsonDocument::load("no/such.json"); }),
            "no/such.json: does not exist; check the path");
  EXPECT_EQ(message_of([&] { (void)JsonDocument::load(folder); }),
            folder.string() + ": is not a regular file; name a JSON file");
  EXPECT_EQ(message_of([&] { (void)JsonDocument::load("/dev/zero"); }),
            "/dev/zero: is not a regular file; name a JSON file");
}

TEST(Problems, AreBoundedWhenCollected) {
  Problems problems(Problems::Mode::collect);
  for (std::size_t line = 1; line <= 1000; ++line) problems.add({"f", {line, 1}, "", "wrong"});
  EXPECT_EQ(problems.found().size(), Problems::most);
  bool ran = false;
  problems.attempt([&] { ran = true; });
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace tandem::specs
