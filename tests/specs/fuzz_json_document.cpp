// One input of any bytes through the JSON reader and the spec reader, in both modes. With libFuzzer
// (TANDEM_FUZZ, clang) this is a fuzz target; without it, replay_corpus_test.cpp gives it the corpus and
// mutations of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "specs/benchmark/spec.hpp"
#include "specs/json/document.hpp"
#include "tests/specs/at_pointer.hpp"
#include "tests/specs/parse_benchmarks.hpp"
#include "tests/specs/same_in_both_modes.hpp"

namespace {

using namespace tandem::specs;

/// Touches every value, and expects its position to be inside the text and its pointer to lead back to it.
void visit(const JsonDocument& document, const Node& node) {
  const Position where = node.position();
  if (where.line == 0 || where.column == 0) std::abort();
  const auto again = at_pointer(document, node.pointer());
  if (!again || again->position() != where) std::abort();
  if (node.kind() == Kind::array) {
    for (const Node& item : node.items()) visit(document, item);
  } else if (node.kind() == Kind::object) {
    for (const Member& member : node.members()) visit(document, member.value);
  } else {
    static_cast<void>(node.found());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  bool reads_as_json = false;
  try {
    const JsonDocument document = JsonDocument::parse(text, "input.json");
    visit(document, document.root());
    reads_as_json = true;
  } catch (const tandem::InputError&) {
  }

  const bool loads = tandem::tests::loads_alike(text, [](std::string copy, Problems& problems) {
    static_cast<void>(parse_benchmarks(std::move(copy), "input.json", {}, problems));
  });
  if (loads && !reads_as_json) std::abort();
  return 0;
}
