#pragma once

#include <string>
#include <string_view>

#include "config/settings.hpp"

namespace tandem::config {

// The checks of config/settings.def. Each says what is wrong with a value and what to write, or nothing (an
// empty string) if it is good. The config file's reader puts file and line in front, `merge` the flag.

struct Anything {};
struct UrlOrPath {};  ///< a URL stays as it is, all else is a path
struct Variables {};  ///< keys are names of environment variables
struct Range {
  int least;
  int most;
};
struct Least {
  Seconds least;
};

constexpr Range kept_count{1, 100'000'000};
constexpr Seconds no_time{0};
constexpr Seconds shortest_timeout{0.001};

[[nodiscard]] std::string check_watch_name(const std::string& name);
[[nodiscard]] std::string check_repo(const std::string& kind);
[[nodiscard]] std::string check_branch(const std::string& branch);
[[nodiscard]] std::string check_remote(const std::string& remote);
[[nodiscard]] std::string check_framework(const std::string& framework);
[[nodiscard]] std::string check_platforms(const Names& platforms);
[[nodiscard]] std::string check_commit(const std::string& commit);
[[nodiscard]] std::string check_margin(const double& share);
[[nodiscard]] std::string check_run_type(const std::string& type);
[[nodiscard]] std::string check_variable(const std::string& name);

/// Checks a value, and makes a path in it absolute, beginning with `folder`. Returns what is wrong.
template <class Value>
std::string settle(Value&, Anything, const Path&) {
  return {};
}
template <class Value>
std::string settle(Value& value, std::string (*check)(const Value&), const Path&) {
  return check(value);
}
inline std::string settle(Texts&, Variables, const Path&) {
  return {};
}
std::string settle(Path& path, Anything, const Path& folder);
std::string settle(Paths& paths, Anything, const Path& folder);
std::string settle(std::string& repository, UrlOrPath, const Path& folder);
std::string settle(int& count, Range range, const Path& folder);
std::string settle(Seconds& time, Least least, const Path& folder);

/// The value of that name. Throws InputError that lists the names.
template <class Choice>
[[nodiscard]] Choice choice(std::string_view name);
template <>
ControlRule choice(std::string_view name);
template <>
Isolation choice(std::string_view name);
template <>
Walk choice(std::string_view name);
template <>
CatchUp choice(std::string_view name);

/// The parts of "a,b", empty ones too.
[[nodiscard]] Names split_list(std::string_view list);

/// What is done with a setting: see config/settings.def.
enum class Use { shared, one_watch, daemon, key, flag };

}  // namespace tandem::config
