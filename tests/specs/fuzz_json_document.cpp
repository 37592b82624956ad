// One input of any bytes through the JSON reader and the spec reader, in both modes. With libFuzzer
// (TANDEM_FUZZ, clang) this is a fuzz target; without it, replay_corpus_test.cpp gives it the corpus and
// mutations of it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "specs/benchmark_spec.hpp"
#include "specs/json_document.hpp"

namespace {

using namespace tandem::specs;

/// Touches every value, and expects its position to be inside the text and its pointer to lead back to it.
void visit(const JsonDocument& document, const Node& node) {
  const Position where = node.position();
  if (where.line == 0 || where.column == 0) std::abort();
  const auto again = document.find(node.pointer());
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

  Problems all(Problems::Mode::collect);
  static_cast<void>(parse_benchmarks(text, "input.json", {}, all));
  bool loads = true;
  try {
    Problems first(Problems::Mode::stop_at_first);
    static_cast<void>(parse_benchmarks(text, "input.json", {}, first));
  } catch (const tandem::InputError& error) {
    loads = false;
    // Collecting must not change what is wrong first.
    if (all.empty() || error.what() != all.found().front().text()) std::abort();
  }
  if (loads != all.empty() || (loads && !reads_as_json)) std::abort();
  return 0;
}
