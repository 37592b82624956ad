// Ten thousand specs and configurations that are almost right: each is read or refused, in both modes alike.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "specs/benchmark/spec.hpp"
#include "support/paths.hpp"
#include "tests/config/parse_config.hpp"
#include "tests/specs/parse_benchmarks.hpp"
#include "tests/specs/same_in_both_modes.hpp"

namespace tandem::specs {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

Json read(const fs::path& file) {
  std::ifstream stream(file);
  return Json::parse(stream, nullptr, true, true);
}

/// Seeded edits of a JSON value, in the ways that people and programs get one wrong.
class Mutation {
 public:
  explicit Mutation(std::uint64_t seed) : random_(seed) {}

  std::string of(Json json) {
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) edit(json);
    std::string text = json.dump();
    if (below(4) == 0) flip(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  void edit(Json& root) {
    std::vector<Json*> all;
    collect(root, all);
    Json& value = *all[below(all.size())];
    Json& other = *all[below(all.size())];
    switch (below(6)) {
      case 0:
        value = of_another_kind();
        break;
      case 1: {
        Json copy = other;
        value = std::move(copy);
        break;
      }
      case 2:
        rename_a_key(value);
        break;
      case 3:
        value = nested(value);
        break;
      case 4:
        remove_a_child(value);
        break;
      default:
        if (value.is_string()) value = value.get<std::string>() + placeholders[below(placeholders.size())];
        break;
    }
  }

  static void collect(Json& value, std::vector<Json*>& all) {
    all.push_back(&value);
    if (!value.is_structured()) return;
    for (Json& child : value) collect(child, all);
  }

  Json of_another_kind() {
    const std::vector<Json> kinds = {nullptr,
                                     true,
                                     false,
                                     0,
                                     -1,
                                     1e300,
                                     0.5,
                                     9007199254740993,
                                     "",
                                     "true",
                                     "\n",
                                     Json::array(),
                                     Json::object(),
                                     Json::array({1, 2}),
                                     std::string(1, '\0'),
                                     Json::object({{"location", "{a}"}}),
                                     Json::array({Json::array()})};
    return kinds[below(kinds.size())];
  }

  void rename_a_key(Json& value) {
    if (!value.is_object() || value.empty()) return;
    auto member = value.begin();
    std::advance(member, below(value.size()));
    std::string key = member.key();
    const Json kept = member.value();
    value.erase(member);
    const std::vector<std::string> names = {"commands", "inputs", "parameters", "files",
                                            "meta",     "{",      "",           "a.b"};
    if (below(2) == 0 && !key.empty()) {
      key[below(key.size())] = static_cast<char>('a' + below(26));
    } else {
      key = names[below(names.size())];
    }
    value[key] = kept;
  }

  Json nested(Json value) {
    for (std::size_t depth = 1 + below(below(8) == 0 ? 80 : 3); depth > 0; --depth)
      value =
          below(2) == 0 ? Json::array({std::move(value)}) : Json::object({{"commands", std::move(value)}});
    return value;
  }

  void remove_a_child(Json& value) {
    if (!value.is_structured() || value.empty()) return;
    auto child = value.begin();
    std::advance(child, below(value.size()));
    value.erase(child);
  }

  void flip(std::string& text) {
    const std::size_t at = below(text.size());
    text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
  }

  const std::vector<std::string> placeholders = {"{ID}",    "{name}",  "{inputs}", "{inputs.shapes}",
                                                 "{files}", "{INDEX}", "{nope}",   "{identifier}",
                                                 "'",       "\\",      "{",        "{program}"};
  std::mt19937_64 random_;
};

TEST(MutatedSpecs, LoadOrAreRefused) {
  const fs::path data = std::filesystem::path(tests::paths::source) / "tests/specs/data";
  const std::vector<fs::path> files = {
      data / "harness/every_field.json", data / "models/new_form.json",
      data / "models/old_form.json",     data / "suite.json",
      data / "harness/suite.json",       fs::path(tests::paths::source) / "specs/benchmarks/example.json"};
  std::vector<Json> corpus;
  for (const fs::path& file : files) corpus.push_back(read(file));
  Mutation mutation(7);
  std::size_t loaded = 0;
  for (std::size_t i = 0; i < 8000; ++i) {
    const std::size_t which = i % corpus.size();
    const auto parse = [&](std::string text, Problems& problems) {
      (void)parse_benchmarks(std::move(text), files[which], {.string_map = {{"FAIPEPROOT", "/f"}}}, problems);
    };
    if (tests::loads_alike(mutation.of(corpus[which]), parse)) ++loaded;
  }
  EXPECT_GT(loaded, 800U) << "most mutations should reach the readers, not only the JSON parser";
  EXPECT_LT(loaded, 7200U);
}

TEST(MutatedConfigs, LoadOrAreRefused) {
  const fs::path file = fs::path(tests::paths::source) / "config/tandem.sample.json";
  const Json sample = read(file);
  Mutation mutation(8);
  const auto parse = [&](std::string text, Problems& problems) {
    (void)tests::parse_config(std::move(text), file, problems);
  };
  std::size_t loaded = 0;
  for (int i = 0; i < 2000; ++i) {
    if (tests::loads_alike(mutation.of(sample), parse)) ++loaded;
  }
  EXPECT_GT(loaded, 100U);
  EXPECT_LT(loaded, 1900U);
}

}  // namespace
}  // namespace tandem::specs
