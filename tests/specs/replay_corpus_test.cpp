#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "support/paths.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

void run(const std::string& text) {
  // A copy of exactly this size, so that a sanitizer sees a read past the end.
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::vector<std::string> texts_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// A few bytes flipped, cut, doubled, or replaced by what JSON is made of.
std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  static const std::vector<std::string> pieces = {
      "{",    "}",         "[",   "]",       ",",
      ":",    "\"",        "\\",  "\\u0000", "\\ud800",
      "//",   "/*",        "*/",  "1e999",   "-",
      "null", "{program}", "{a}", "\xff",    std::string(1, '\0'),
      "\n",   "{ID}",      "'",   "\"a\":",  "99999999999999999999"};
  for (std::size_t edits = 1 + below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:
        text.resize(at);
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      case 3:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(40)));
        break;
    }
  }
  return text;
}

TEST(SpecCorpus, ParsesOrIsRefused) {
  const auto texts = texts_in(std::filesystem::path(tandem::tests::paths::source) / "tests/specs/corpus");
  ASSERT_GE(texts.size(), 10U);
  for (const std::string& text : texts) run(text);
}

TEST(SpecCorpus, ParsesOrIsRefusedWhenCutAnywhere) {
  for (const std::string& text :
       texts_in(std::filesystem::path(tandem::tests::paths::source) / "tests/specs/data")) {
    for (std::size_t length = 0; length <= text.size(); ++length) run(text.substr(0, length));
  }
}

TEST(SpecCorpus, ParsesOrIsRefusedAfterFiveThousandMutations) {
  auto texts = texts_in(std::filesystem::path(tandem::tests::paths::source) / "tests/specs/data");
  for (auto& text : texts_in(std::filesystem::path(tandem::tests::paths::source) / "tests/specs/corpus"))
    texts.push_back(std::move(text));
  std::mt19937_64 random(20240501);
  for (int i = 0; i < 5000; ++i) run(mutated(texts[static_cast<std::size_t>(i) % texts.size()], random));
}

}  // namespace
