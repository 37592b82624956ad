#include "specs/benchmark/build_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "specs/benchmark/fields.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::specs {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_characters = 4096;

constexpr const char* what_to_write = R"(write "build": {"sources": ["bench.cpp"], …} in the benchmark file)";

std::string read_text(const Node& node) {
  std::string text = node.as_string();
  if (text.size() > most_characters) {
    node.fail(fmt::format("has {} characters; write at most {}", text.size(), most_characters));
  }
  return text;
}

/// A relative path without steps upwards, in its shortest form.
std::string read_path(const Node& node, const char* root) {
  const fs::path path = fs::path(read_text(node)).lexically_normal();
  if (path.is_absolute() || *path.begin() == "..") {
    node.fail(fmt::format("found {}; expected a path inside {}", node.found(), root));
  }
  std::string text = path.generic_string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string read_source(const Node& node, const fs::path& folder) {
  std::string path = read_path(node, "the folder of this file");
  std::error_code error;
  const fs::path file = fs::canonical(folder / path, error);
  if (error || !fs::is_regular_file(file, error)) {
    node.fail(fmt::format("there is no file {}; write a path relative to this file",
                          in_quotes((folder / path).string())));
  }
  const fs::path inside = file.lexically_relative(fs::canonical(folder));
  if (*inside.begin() == "..") {
    node.fail(fmt::format("is a link to {}, outside the folder of this file; copy it here",
                          in_quotes(file.string())));
  }
  return path;
}

template <typename Read>
std::vector<std::string> read_list(const Node& list, Read&& read) {
  std::vector<std::string> texts;
  for (const Node& item : list.items()) {
    std::string text = read(item);
    if (std::find(texts.begin(), texts.end(), text) != texts.end())
      item.fail("stands here twice; remove one");
    texts.push_back(std::move(text));
  }
  return texts;
}

int read_standard(const Node& node) {
  constexpr std::array known = {11, 14, 17, 20, 23, 26};
  const auto value = node.as_integer();
  if (std::find(known.begin(), known.end(), value) == known.end()) {
    node.fail(fmt::format("found {}; expected a standard of C++: 11, 14, 17, 20, 23 or 26", value));
  }
  return static_cast<int>(value);
}

}  // namespace

bool BuildSection::same_as(const BuildSection& other) const {
  const bool same_files = sources.empty() || folder == other.folder;
  return same_files && target == other.target && options == other.options && sources == other.sources &&
         include == other.include && libraries == other.libraries && standard == other.standard;
}

BuildSection read_build_section(const Node& node, Problems& problems) {
  BuildSection section;
  section.file = node.file();
  section.where = node.position();
  section.folder = fs::absolute(fs::path(node.file())).parent_path();
  std::vector<Problem> no_notices;
  const CheckedObject checked(node, build_kind(), problems, no_notices);
  const auto field = [&](const char* key, auto&& read) {
    if (const auto value = checked.find(key)) problems.attempt([&] { read(*value); });
  };
  field("target", [&](const Node& value) { section.target = read_text(value); });
  field("options", [&](const Node& value) { section.options = read_list(value, read_text); });
  field("sources", [&](const Node& value) {
    section.sources = read_list(value, [&](const Node& item) { return read_source(item, section.folder); });
  });
  field("include", [&](const Node& value) {
    section.include =
        read_list(value, [](const Node& item) { return read_path(item, "the tree of the commit"); });
  });
  field("libraries", [&](const Node& value) { section.libraries = read_list(value, read_text); });
  field("standard", [&](const Node& value) { section.standard = read_standard(value); });
  return section;
}

void keep_build_section(const Node& object, Problems& problems, std::optional<BuildSection>& kept) {
  const auto node = object.find("build");
  if (!node) return;
  problems.attempt([&] {
    BuildSection section = read_build_section(*node, problems);
    if (kept && !kept->same_as(section)) {
      node->fail(
          fmt::format("differs from the one at {}; one executable is built for all benchmarks, so say it "
                      "once, in the suite",
                      place(kept->file, kept->where)));
    }
    if (!kept) kept = std::move(section);
  });
}

void complain_of_build(const std::string& framework, const std::optional<BuildSection>& section) {
  const bool by_cmake = framework == "generic-cmake";
  if (!by_cmake && framework != "generic-headers") return;
  if (!section) {
    throw InputError(
        fmt::format("framework {} is not told what to build; {}", in_quotes(framework), what_to_write));
  }
  const auto complain = [&](const char* message) {
    throw ProblemError({section->file, section->where, "/build", message});
  };
  if (by_cmake && section->target.empty() && section->sources.empty()) {
    complain(R"(has neither "target" nor "sources"; name a target of the project or a source of your own)");
  }
  if (!by_cmake && section->sources.empty()) {
    complain(R"(has no "sources"; generic-headers compiles sources of your own)");
  }
  if (!by_cmake && !section->target.empty()) {
    complain(R"(has a "target", which generic-headers does not know; remove it or use generic-cmake)");
  }
}

}  // namespace tandem::specs
