#include "config/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::config {

namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-' || c == '+';
}

/// One folder name that cannot lead anywhere else.
bool is_folder_name(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.front() != '-' &&
         std::all_of(part.begin(), part.end(), is_plain);
}

bool is_folder_path(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (!is_folder_name(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

constexpr const char* plain_letters = "letters, digits, \".\", \"_\", \"+\" and \"-\"";

}  // namespace

std::string check_watch_name(const std::string& name) {
  if (!name.empty() && name.find('/') == std::string::npos && !has_control_characters(name)) return "";
  return fmt::format("found {}; expected a name without \"/\" and control characters", in_quotes(name));
}

std::string check_repo(const std::string& kind) {
  return kind == "git" || kind == "hg" ? ""
                                       : fmt::format("found {}; expected \"git\" or \"hg\"", in_quotes(kind));
}

std::string check_branch(const std::string& branch) {
  // The part of git-check-ref-format that matters before git itself looks at the name.
  const bool bad = branch.empty() || branch.front() == '-' || branch.front() == '/' || branch.back() == '/' ||
                   branch.back() == '.' || branch.ends_with(".lock") ||
                   branch.find("..") != std::string::npos || branch.find("//") != std::string::npos ||
                   branch.find("@{") != std::string::npos ||
                   branch.find_first_of(" ~^:?*[\\") != std::string::npos || has_control_characters(branch);
  return bad ? fmt::format("found {}; expected the name of a branch, such as \"main\"", in_quotes(branch))
             : "";
}

std::string check_remote(const std::string& remote) {
  if (is_folder_path(remote)) return "";
  return fmt::format("found {}; expected the name of a remote, such as \"origin\"", in_quotes(remote));
}

std::string check_framework(const std::string& framework) {
  if (is_folder_name(framework)) return "";
  return fmt::format("found {}; expected the name of a folder in frameworks_dir, of {}", in_quotes(framework),
                     plain_letters);
}

std::string check_platforms(const Names& platforms) {
  if (platforms.empty()) return "names no platform; write at least one, such as \"linux\"";
  for (auto platform = platforms.begin(); platform != platforms.end(); ++platform) {
    if (!is_folder_path(*platform)) {
      return fmt::format(
          "found {}; expected names such as \"linux\" or \"host/incremental\", of {}, that stay inside "
          "the framework's folder",
          in_quotes(*platform), plain_letters);
    }
    if (std::find(platforms.begin(), platform, *platform) != platform) {
      return fmt::format("names {} twice; keep one of them", in_quotes(*platform));
    }
  }
  return "";
}

std::string check_commit(const std::string& commit) {
  const bool bad = commit.empty() || commit.front() == '-' || commit.find(' ') != std::string::npos ||
                   has_control_characters(commit);
  return bad ? fmt::format("found {}; expected a commit, a tag or a branch", in_quotes(commit)) : "";
}

std::string check_margin(const double& margin) {
  if (margin >= 0.0001 && margin <= 1) return "";
  return fmt::format("found {}; expected a fraction from 0.0001 to 1, such as 0.01 for 1 %", margin);
}

std::string check_run_type(const std::string& type) {
  if (type == "benchmark" || type == "verify" || type == "regress") return {};
  return fmt::format("found {}; expected \"benchmark\", \"verify\" or \"regress\"", in_quotes(type));
}

std::string check_variable(const std::string& name) {
  if (!name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string::npos) return {};
  return "is not a name of an environment variable; write a name without \"=\"";
}

std::string settle(Path& path, Anything, const Path& folder) {
  const std::string text = path.string();
  if (text.empty()) return "is empty; write a path";
  if (text.find('\0') != std::string::npos) return "holds a NUL character; remove it";
  if (text.front() == '~')
    return fmt::format("found {}; only a shell expands \"~\", write the whole path", in_quotes(text));
  path = (folder / path).lexically_normal();
  return {};
}

std::string settle(Paths& paths, Anything, const Path& folder) {
  for (Path& path : paths) {
    if (std::string wrong = settle(path, Anything{}, folder); !wrong.empty()) return wrong;
  }
  return {};
}

namespace {

/// Fetched from elsewhere: "https://host/x.git", "git@host:x.git".
bool is_remote(const std::string& repo_dir) {
  if (repo_dir.find("://") != std::string::npos) return true;
  // scp's form, as git reads it: a colon before the first slash.
  const std::size_t colon = repo_dir.find(':');
  return colon != std::string::npos && colon > 0 && repo_dir.find('/') > colon;
}

}  // namespace

std::string settle(std::string& repository, UrlOrPath, const Path& folder) {
  if (is_remote(repository)) return {};
  Path path = repository;
  std::string wrong = settle(path, Anything{}, folder);
  repository = path.string();
  return wrong;
}

std::string settle(int& count, Range range, const Path&) {
  if (count >= range.least && count <= range.most) return {};
  return fmt::format("found {}; expected a whole number from {} to {}", count, range.least, range.most);
}

std::string settle(Seconds& time, Least least, const Path&) {
  constexpr Seconds longest{366.0 * 24 * 3600};
  if (time >= least.least && time <= longest) return {};
  return fmt::format("found {}; expected seconds from {} to {}", time.count(), least.least.count(),
                     longest.count());
}

namespace {

constexpr std::array control_rules = {"week", "parent", "fixed", "tag"};
constexpr std::array isolations = {"auto", "required", "none"};
constexpr std::array walks = {"first_parent", "all"};
constexpr std::array catch_ups = {"every", "newest"};

template <class Choice, std::size_t count>
Choice choice_of(const std::array<const char*, count>& names, std::string_view name) {
  if (const auto value = value_named<Choice>(names, name)) return *value;
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw InputError(fmt::format("found {}; expected one of {}", in_quotes(name), list_in_quotes(known)));
}

}  // namespace

const char* name_of(ControlRule rule) {
  return name_in(control_rules, rule);
}
const char* name_of(Isolation isolation) {
  return name_in(isolations, isolation);
}
const char* name_of(Walk walk) {
  return name_in(walks, walk);
}
const char* name_of(CatchUp catch_up) {
  return name_in(catch_ups, catch_up);
}

template <>
ControlRule choice(std::string_view name) {
  return choice_of<ControlRule>(control_rules, name);
}
template <>
Isolation choice(std::string_view name) {
  return choice_of<Isolation>(isolations, name);
}
template <>
Walk choice(std::string_view name) {
  return choice_of<Walk>(walks, name);
}
template <>
CatchUp choice(std::string_view name) {
  return choice_of<CatchUp>(catch_ups, name);
}

std::uint64_t bytes(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  const std::size_t power = unit.empty() ? 0 : units.find(unit) + 1;
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  if (error != std::errc{} || unit.size() > 1 || power > units.size() || value > (most >> (10 * power))) {
    throw InputError(
        fmt::format("found {}; expected a number of bytes such as 512M, 20G or 0", in_quotes(text)));
  }
  return value << (10 * power);
}

Names split_list(std::string_view list) {
  Names names;
  while (true) {
    const std::size_t comma = list.find(',');
    names.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace tandem::config
