#include "config/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "config/settings.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::config {

namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-' || c == '+';
}

bool has_control(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
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

std::string complain_of_watch_name(const std::string& name) {
  if (!name.empty() && name.find('/') == std::string::npos && !has_control(name)) return "";
  return fmt::format("found {}; expected a name without \"/\" and control characters", in_quotes(name));
}

std::string complain_of_repo(const std::string& kind) {
  return kind == "git" || kind == "hg" ? ""
                                       : fmt::format("found {}; expected \"git\" or \"hg\"", in_quotes(kind));
}

std::string complain_of_branch(const std::string& branch) {
  // The part of git-check-ref-format that matters before git itself looks at the name.
  const bool bad = branch.empty() || branch.front() == '-' || branch.front() == '/' || branch.back() == '/' ||
                   branch.back() == '.' || branch.ends_with(".lock") ||
                   branch.find("..") != std::string::npos || branch.find("//") != std::string::npos ||
                   branch.find("@{") != std::string::npos ||
                   branch.find_first_of(" ~^:?*[\\") != std::string::npos || has_control(branch);
  return bad ? fmt::format("found {}; expected the name of a branch, such as \"main\"", in_quotes(branch))
             : "";
}

std::string complain_of_remote(const std::string& remote) {
  if (is_folder_path(remote)) return "";
  return fmt::format("found {}; expected the name of a remote, such as \"origin\"", in_quotes(remote));
}

std::string complain_of_framework(const std::string& framework) {
  if (is_folder_name(framework)) return "";
  return fmt::format("found {}; expected the name of a folder in frameworks_dir, of {}", in_quotes(framework),
                     plain_letters);
}

std::string complain_of_platforms(const std::vector<std::string>& platforms) {
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

std::string complain_of_commit(const std::string& commit) {
  const bool bad =
      commit.empty() || commit.front() == '-' || commit.find(' ') != std::string::npos || has_control(commit);
  return bad ? fmt::format("found {}; expected a commit, a tag or a branch", in_quotes(commit)) : "";
}

std::string complain_of_path(const std::filesystem::path& path) {
  const std::string text = path.string();
  if (text.empty()) return "is empty; write a path";
  if (text.find('\0') != std::string::npos) return "holds a NUL character; remove it";
  if (text.front() == '~')
    return fmt::format("found {}; only a shell expands \"~\", write the whole path", in_quotes(text));
  return "";
}

std::string complain_of_margin(double margin) {
  if (margin >= 0.0001 && margin <= 1) return "";
  return fmt::format("found {}; expected a fraction from 0.0001 to 1, such as 0.01 for 1 %", margin);
}

std::string complain_of_duration(std::chrono::duration<double> duration,
                                 std::chrono::duration<double> least) {
  if (duration >= least && duration <= longest_time) return "";
  return fmt::format("found {}; expected seconds from {} to {}", duration.count(), least.count(),
                     longest_time.count());
}

std::string complain_of_count(long long count, long long least, long long most) {
  if (count >= least && count <= most) return "";
  return fmt::format("found {}; expected a whole number from {} to {}", count, least, most);
}

bool is_url(const std::string& repo_dir) {
  if (repo_dir.find("://") != std::string::npos) return true;
  // scp's form, as git reads it: a colon before the first slash.
  const std::size_t colon = repo_dir.find(':');
  return colon != std::string::npos && colon > 0 && repo_dir.find('/') > colon;
}

namespace {

/// The value of that name; otherwise InputError that lists them.
template <typename Value>
Value choice(std::string_view name, std::initializer_list<Value> values) {
  std::vector<std::string_view> names;
  for (const Value value : values) {
    if (name == name_of(value)) return value;
    names.emplace_back(name_of(value));
  }
  throw InputError(fmt::format("found {}; expected one of {}", in_quotes(name), list_in_quotes(names)));
}

}  // namespace

const char* name_of(ControlRule rule) {
  switch (rule) {
    case ControlRule::week:
      return "week";
    case ControlRule::parent:
      return "parent";
    case ControlRule::fixed:
      return "fixed";
    case ControlRule::tag:
      return "tag";
  }
  return "week";
}

const char* name_of(Isolation isolation) {
  switch (isolation) {
    case Isolation::automatic:
      return "auto";
    case Isolation::required:
      return "required";
    case Isolation::none:
      return "none";
  }
  return "auto";
}

const char* name_of(Walk walk) {
  return walk == Walk::all ? "all" : "first_parent";
}

const char* name_of(CatchUp catch_up) {
  return catch_up == CatchUp::newest ? "newest" : "every";
}

ControlRule control_rule(std::string_view name) {
  return choice(name, {ControlRule::week, ControlRule::parent, ControlRule::fixed, ControlRule::tag});
}

Isolation isolation(std::string_view name) {
  return choice(name, {Isolation::automatic, Isolation::required, Isolation::none});
}

Walk walk(std::string_view name) {
  return choice(name, {Walk::first_parent, Walk::all});
}

CatchUp catch_up(std::string_view name) {
  return choice(name, {CatchUp::every, CatchUp::newest});
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

std::vector<std::string> split_platforms(std::string_view list) {
  std::vector<std::string> names;
  while (true) {
    const std::size_t comma = list.find(',');
    names.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return names;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace tandem::config
