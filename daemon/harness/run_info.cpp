#include "daemon/harness/run_info.hpp"

#include "specs/json_document.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;
using specs::JsonDocument;
using specs::Node;

fs::path read_program(const Node& node) {
  const fs::path path = fs::absolute(node.as_string()).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) node.fail("there is no such file; write the path of a program");
  return path;
}

InfoBuild read_build(const Node& node) {
  InfoBuild build;
  if (const auto commit = node.find("commit")) build.commit = commit->as_string();
  if (const auto time = node.find("commit_time")) build.commit_time = time->as_integer();
  if (const auto program = node.find("program")) build.program = read_program(*program);
  if (const auto programs = node.find("programs")) {
    for (const specs::Member& member : programs->members()) {
      const fs::path path = read_program(member.value.at("location"));
      (member.key == "program" ? build.program : build.programs[member.key]) = path;
    }
  }
  if (const auto map = node.find("string_map")) {
    for (const specs::Member& member : map->members())
      build.string_map.emplace(member.key, member.value.scalar_text());
  }
  if (const auto diff = node.find("diff")) build.diff = diff->scalar_text();
  if (const auto version = node.find("version")) build.version = version->scalar_text();
  if (build.program.empty() && build.commit.empty())
    node.fail("names neither a program nor a commit; add \"programs\": {\"program\": {\"location\": …}}");
  return build;
}

std::vector<std::string> read_texts(const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list.items()) texts.push_back(item.as_string());
  return texts;
}

}  // namespace

RunInfo read_run_info(const std::string& text_or_file) {
  const bool is_text = text_or_file.find_first_not_of(" \t\r\n") != std::string::npos &&
                       text_or_file[text_or_file.find_first_not_of(" \t\r\n")] == '{';
  const Node root =
      (is_text ? JsonDocument::parse(text_or_file, "--info") : JsonDocument::load(text_or_file)).root();
  RunInfo info;
  if (const auto treatment = root.find("treatment")) info.treatment = read_build(*treatment);
  if (const auto control = root.find("control")) info.control = read_build(*control);
  if (info.control && !info.treatment) root.fail("has a control without a treatment; add \"treatment\"");
  if (const auto libraries = root.find("shared_libs")) {
    for (const std::string& library : read_texts(*libraries))
      info.shared_libs.push_back(fs::absolute(library).lexically_normal());
  }
  if (const auto types = root.find("regressed_types")) info.regressed_types = read_texts(*types);
  if (const auto type = root.find("run_type"))
    info.run_type = type->as_choice({"benchmark", "verify", "regress"});
  if (const auto user = root.find("user")) info.user = user->scalar_text();
  return info;
}

}  // namespace tandem::daemon::harness
