#include "builders/commit.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <queue>
#include <tuple>

#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

constexpr std::size_t most_commits = 10'000'000;

using Names = std::initializer_list<std::string_view>;

/// In lower case with one space for any white space: a message may break its lines anywhere.
std::string flattened(std::string_view message) {
  std::string flat;
  for (const char c : lower_case(message)) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) flat += c;
    if (space && !flat.empty() && flat.back() != ' ') flat += ' ';
  }
  return flat;
}

/// The id at the beginning of the text, which is taken off it; empty if there is none.
std::string_view take_id(std::string_view& text) {
  constexpr std::size_t shortest = 7;
  constexpr std::size_t longest = 64;
  const auto end = std::min(text.find_first_not_of("0123456789abcdef"), text.size());
  const bool whole = end == text.size() || std::isalnum(static_cast<unsigned char>(text[end])) == 0;
  if (!whole || end < shortest || end > longest) return {};
  const std::string_view id = text.substr(0, end);
  text.remove_prefix(end);
  return id;
}

bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

bool is_one_of(std::string_view name, Names names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool begins_with_one_of(std::string_view name, Names beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

bool ends_with_one_of(std::string_view name, Names ends) {
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// What a benchmark is made of may lie below the tests, and counts as a source.
bool is_test(const std::vector<std::string_view>& parts, std::string_view stem) {
  const auto any = [&](auto holds) { return std::any_of(parts.begin(), parts.end(), holds); };
  if (any([](std::string_view part) { return part.find("bench") != std::string_view::npos; })) return false;
  if (stem.starts_with("test_") || ends_with_one_of(stem, {"_test", "_tests", "_unittest"})) return true;
  return std::any_of(parts.begin(), parts.end() - 1, [](std::string_view part) {
    return is_one_of(part, {"test", "tests", "unittest", "unittests", "gtest", "gtests"});
  });
}

/// True for a file that is not part of anything that runs.
bool is_beside_the_program(std::string_view file) {
  const std::string path = lower_case(file);
  const std::vector<std::string_view> parts = parts_of(path);
  const std::string_view name = parts.back();
  const std::string_view stem = name.substr(0, name.rfind('.'));
  for (auto part = parts.begin(); part != parts.end() - 1; ++part) {
    if (is_one_of(*part, {"doc", "docs", "documentation", ".github", ".gitlab", ".circleci", ".ci"})) {
      return true;
    }
  }
  if (parts.size() > 1 && parts.front() == "ci") return true;
  return ends_with_one_of(name, {".md", ".rst", ".adoc"}) ||
         begins_with_one_of(name, {"readme", "license", "licence", "copying", "changelog", "contributing"}) ||
         is_one_of(name, {"notice", "authors", "contributors", "maintainers", "codeowners", "news", "changes",
                          "thirdpartynotices.txt"}) ||
         is_one_of(name, {".gitlab-ci.yml", ".travis.yml", ".cirrus.yml", "appveyor.yml", ".appveyor.yml",
                          "azure-pipelines.yml", "jenkinsfile", ".pre-commit-config.yaml"}) ||
         is_one_of(name, {".clang-format", ".clang-tidy", ".editorconfig", ".gitignore", ".hgignore",
                          ".hgtags", ".mailmap"}) ||
         is_test(parts, stem);
}

}  // namespace

std::vector<Commit> parents_first(std::vector<ListedCommit> listed) {
  if (listed.size() > most_commits) throw Error("the branch has more than ten million commits");
  std::vector<std::vector<std::size_t>> children(listed.size());
  std::vector<std::size_t> missing(listed.size(), 0);
  for (std::size_t at = 0; at < listed.size(); ++at) {
    missing[at] = listed[at].parents.size();
    for (const std::size_t parent : listed[at].parents) children[parent].push_back(at);
  }
  const auto later = [&](std::size_t one, std::size_t other) {
    const Commit& a = listed[one].commit;
    const Commit& b = listed[other].commit;
    return std::tie(a.committer_time, a.id) > std::tie(b.committer_time, b.id);
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  for (std::size_t at = 0; at < listed.size(); ++at) {
    if (missing[at] == 0) ready.push(at);
  }
  // The queue compares commits until all have left it, so they are moved at the end.
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::size_t child : children[order.back()]) {
      if (--missing[child] == 0) ready.push(child);
    }
  }
  std::vector<Commit> commits;
  commits.reserve(order.size());
  for (const std::size_t at : order) commits.push_back(std::move(listed[at].commit));
  return commits;
}

std::vector<std::string> reverted_ids(std::string_view message) {
  constexpr std::size_t longest_message = std::size_t{1} << 16;
  const std::string flat = flattened(message.substr(0, longest_message));
  std::vector<std::string> ids;
  for (std::string_view rest = flat; !rest.empty();) {
    if (!take(rest, "this reverts commit") && !take(rest, "this reverts changeset") &&
        !take(rest, "backed out changeset") && !take(rest, "back out changeset")) {
      rest.remove_prefix(1);
      continue;
    }
    take(rest, "s");
    take(rest, ":");
    while (take(rest, " ") || take(rest, ",") || take(rest, "and ")) {
      const std::string id(take_id(rest));
      if (!id.empty() && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  return ids;
}

double culprit_weight(const CommitFacts& facts) {
  constexpr double unlikely = 0.05;
  constexpr double most = 3;
  // A full list has been cut off: there may be anything behind its end.
  const bool whole = !facts.files.empty() && facts.files.size() < CommitFacts::most_files;
  if (whole && std::all_of(facts.files.begin(), facts.files.end(), is_beside_the_program)) return unlikely;
  return std::min(most, 1 + std::log2(1 + static_cast<double>(facts.lines)) / 8);
}

}  // namespace tandem::builders
