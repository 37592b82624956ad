#include <fmt/format.h>

#include <charconv>

#include "config/settings.hpp"
#include "specs/error.hpp"
#include "specs/nearest.hpp"

namespace tandem::config {
namespace {

using specs::in_quotes;

/// The value of that name; otherwise InputError that lists them.
template <typename Value>
Value choice(std::string_view name, std::initializer_list<Value> values) {
  std::vector<std::string_view> names;
  for (const Value value : values) {
    if (name == name_of(value)) return value;
    names.emplace_back(name_of(value));
  }
  throw InputError(
      fmt::format("found {}; expected one of {}", in_quotes(name), specs::list_in_quotes(names)));
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
