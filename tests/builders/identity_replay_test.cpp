#include <cstdint>

#include "builders/cache/manifest.hpp"
#include "compiled_fixture.hpp"
#include "specs/foundation/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace tandem::builders {
namespace {

void feed(const std::string& text) {
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

/// Changes one to four places; in programs mostly in the headers and tables, where it matters.
std::string mutated(std::string text, tandem::Random& random, const std::vector<std::string>& pieces) {
  for (std::uint64_t edits = 1 + random.below(4); edits > 0 && !text.empty(); --edits) {
    const std::size_t most = random.below(2) == 0 ? std::min<std::size_t>(text.size(), 1024) : text.size();
    const std::size_t at = random.below(most);
    const std::string& piece = pieces[random.below(pieces.size())];
    switch (random.below(4)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
        break;
      case 1:
        if (random.below(4) == 0) text.resize(at);
        break;
      case 2:
        text.replace(at, piece.size(), piece);
        break;
      default:
        text.insert(at, piece);
        break;
    }
  }
  return text;
}

using IdentityReplay = CompiledTest;

TEST_F(IdentityReplay, ReadsOrRefusesAnyProgram) {
  const std::vector<std::string> programs = {
      read(compile("dynamic", "int main() {}\n", {"-Wl,-rpath,$ORIGIN/lib"})),
      read(compile("library", "int f() { return 1; }\n", {"-shared", "-fPIC"})),
      read(compile("bare", "int main() {}\n", {"-s"})), read(compile("object", "int main() {}\n", {"-c"}))};
  const std::vector<std::string> pieces = {std::string(8, '\xff'), std::string(8, '\0'),
                                           std::string(4, '\x7f'), std::string("\x01\0\0\0", 4),
                                           std::string(2, '\xff'), std::string("\0\0\0\0\0\0\0\x80", 8)};
  tandem::Random random(20240501);
  for (const std::string& program : programs) feed(program);
  for (int i = 0; i < 4000; ++i) feed(mutated(programs[random.below(programs.size())], random, pieces));
}

TEST_F(IdentityReplay, ReadsOrRefusesAnyManifest) {
  Manifest manifest;
  manifest.key = std::string(64, 'a');
  manifest.commit = std::string(40, 'b');
  manifest.framework = "framework";
  manifest.platform = "linux";
  manifest.program = "main";
  manifest.files = {{"lib/data", ManifestFile::Kind::data, 4, std::string(64, 'c')},
                    {"main", ManifestFile::Kind::program, 10, std::string(64, 'd')}};
  manifest.links = {{"main/object.o", ManifestFile::Kind::data, 4, std::string(64, 'e')}};
  const std::string text = to_json(manifest);
  const std::vector<std::string> pieces = {"{",  "}",  "[",   "]", "\"",   "null",    "1e999",
                                           "-1", "\n", "../", "/", "\xff", "\\u0000", "[[[[[[[["};
  tandem::Random random(20240502);
  feed(text);
  for (int i = 0; i < 10'000; ++i) feed(mutated(text, random, pieces));
  feed(std::string(200'000, '['));
}

TEST_F(IdentityReplay, ReadsOrRefusesAnyListOfTheLoader) {
  std::string cache = "glibc-ld.so.cache1.1" + std::string("\2\0\0\0\40\0\0\0", 8) + std::string(20, '\0');
  const auto entry = [](char name, char path) {
    return std::string("\3\3\0\0", 4) + name + std::string(3, '\0') + path + std::string(15, '\0');
  };
  cache += entry(96, 103) + entry(96, 103) + std::string("liba.so\0/lib/liba.so\0", 21);
  const std::vector<std::string> pieces = {std::string(4, '\xff'), std::string(4, '\0'),
                                           "glibc-ld.so.cache1.1"};
  tandem::Random random(20240503);
  feed(cache);
  for (int i = 0; i < 5000; ++i) feed(mutated(cache, random, pieces));
}

}  // namespace
}  // namespace tandem::builders
