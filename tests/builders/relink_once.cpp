// For tests/evaluation/relink.sh.
//   relink_once keep LINKS OUT             keeps what the build left in LINKS for the programs in OUT
//   relink_once relink KEPT OUT LLD COUNT  links OUT again with COUNT seeds; a line with the hash of each
//   order
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "builders/identity/elf.hpp"
#include "builders/layout/layout.hpp"
#include "builders/layout/link_capture.hpp"
#include "specs/foundation/hashes.hpp"
#include "support/temporary_directory.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tandem;

int keep(const fs::path& links, const fs::path& out) {
  const auto kept = builders::LinkCapture({}, {}, links, links).collect(out);
  if (!kept.unresolved.empty()) fmt::print("{}\n", kept.unresolved);
  return kept.unresolved.empty() ? 0 : 1;
}

int relink_all(const fs::path& kept, const fs::path& out, const fs::path& lld, std::uint64_t count) {
  const tests::TemporaryDirectory folder;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const fs::path to = folder.path() / std::to_string(seed);
    fs::copy(out, to, fs::copy_options::recursive);
    if (const auto failure = builders::relink(kept, lld, seed, to)) {
      fmt::print("{}\n", failure->sentence);
      return 1;
    }
    std::string order;
    const auto facts = builders::elf_facts(to / "program").value();
    for (const auto& function : facts.functions) order += function.name + "\n";
    fmt::print("{}\n", tandem::sha256_of(order));
  }
  return 0;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  if (words.size() == 3 && words[0] == "keep") return keep(words[1], words[2]);
  if (words.size() == 5 && words[0] == "relink") {
    return relink_all(words[1], words[2], words[3], std::strtoull(words[4].c_str(), nullptr, 10));
  }
  std::fputs("usage: relink_once keep LINKS OUT | relink KEPT OUT LLD COUNT\n", stderr);
  return 2;
}
