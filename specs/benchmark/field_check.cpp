#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "specs/benchmark/fields.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::specs {
namespace {

using Type = Shape::Type;
using Notices = std::vector<Problem>;

constexpr const char* no_effect = "is accepted and has no effect";
constexpr const char* of_phones = "is accepted and has no effect: Android and iOS are out of scope";

void check_value(const Node& node, const Shapes& shapes, Problems& problems, Notices& notices);

/// What a value of a type looks like in JSON, and what messages call it. In the order of Shape::Type.
struct TypeFacts {
  std::vector<Kind> kinds;
  const char* words;
};
const TypeFacts& facts_of(Type type) {
  static const std::vector<TypeFacts> facts = {
      {{Kind::null, Kind::boolean, Kind::number, Kind::string, Kind::array, Kind::object}, "a value"},
      {{Kind::null}, "null"},
      {{Kind::string}, "a string"},
      {{Kind::string}, "a string"},
      {{Kind::string}, "a string"},
      {{Kind::boolean}, "true or false"},
      {{Kind::number}, "a whole number"},
      {{Kind::number}, "a number"},
      {{Kind::string, Kind::number, Kind::boolean}, "a string, a number, or true or false"},
      {{Kind::array}, "an array"},
      {{Kind::object}, "an object"},
      {{Kind::object}, "an object"}};
  return facts.at(static_cast<std::size_t>(type));
}

bool is_of(Kind kind, Type type) {
  const auto& kinds = facts_of(type).kinds;
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

const char* words_for(const Shape& shape) {
  return shape.rule != nullptr ? shape.rule->expected : facts_of(shape.type).words;
}

[[noreturn]] void fail_kind(const Node& node, const Shapes& shapes) {
  std::vector<std::string> expected;
  for (const Shape& shape : shapes) {
    std::string words = words_for(shape);
    if (std::find(expected.begin(), expected.end(), words) == expected.end()) {
      expected.push_back(std::move(words));
    }
  }
  std::string text;
  for (const std::string& words : expected) text += (text.empty() ? "" : ", or ") + words;
  node.fail(fmt::format("found {}; expected {}", node.found(), text));
}

void refuse_nul(const Node& node, const std::string& text) {
  if (text.find('\0') != std::string::npos) node.fail("holds a NUL character; remove it");
}

void check_text(const Node& node, const Shape& shape) {
  const std::string text = shape.choices.empty() ? node.as_string() : node.as_choice(shape.choices);
  if (shape.type == Type::name) static_cast<void>(read_name(node));
  if (shape.rule != nullptr && !shape.rule->fits(text)) {
    node.fail(fmt::format("found {}; expected {}", node.found(), shape.rule->expected));
  }
  if (shape.type != Type::command) return;
  refuse_nul(node, text);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    node.fail("is an empty command; write a program and its arguments");
}

void check_whole(const Node& node, const Shape& shape) {
  const auto value =
      node.as_integer(static_cast<std::int64_t>(shape.low), static_cast<std::int64_t>(shape.high));
  if (value == shape.except) {
    node.fail(fmt::format("found {}; expected -1 or a whole number of at least {}", value, value + 1));
  }
}

void check_list(const Node& node, const Shape& shape, Problems& problems, Notices& notices) {
  const std::vector<Node> items = node.items();
  if (items.size() < shape.least_items) node.fail("is an empty array; write at least one");
  if (shape.most_items > 0 && items.size() > shape.most_items) {
    node.fail(fmt::format("holds {} entries; write at most {}", items.size(), shape.most_items));
  }
  for (const Node& item : items) {
    problems.attempt([&] { check_value(item, shape.items, problems, notices); });
  }
}

void check_map(const Node& node, const Shape& shape, Problems& problems, Notices& notices) {
  for (const Member& member : node.members()) {
    problems.attempt([&] {
      if (shape.key_rule != nullptr && !shape.key_rule->fits(member.key)) {
        member.value.fail(shape.key_rule->expected);
      }
      check_value(member.value, shape.items, problems, notices);
    });
  }
}

void check_exclusive(const Node& object, const ObjectKind& kind, Problems& problems) {
  for (const Keys& group : kind.exclusive) {
    std::vector<Node> found;
    for (const std::string_view key : group) {
      if (const auto node = object.find(key)) found.push_back(*node);
    }
    if (found.size() > 1) {
      problems.add(found[1].problem(
          fmt::format("stands beside another command; keep one of {}", list_in_quotes(group))));
    }
  }
}

void note_others(const Node& object, const ObjectKind& kind, Notices& notices) {
  const Keys names = names_of(kind);
  for (const Member& member : object.members()) {
    if (std::find(names.begin(), names.end(), member.key) == names.end()) {
      add_notice(notices, member.value.problem(no_effect));
    }
  }
}

void check_field(const Node& object, const Field& field, Problems& problems, Notices& notices) {
  const auto node = object.find(field.name);
  if (!node) {
    if (field.need == Need::required) static_cast<void>(object.at(field.name));
    return;
  }
  check_value(*node, field.shapes, problems, notices);
  if (field.effect == Effect::none) add_notice(notices, node->problem(no_effect));
  if (field.effect == Effect::phone) add_notice(notices, node->problem(of_phones));
}

void check_others(const Node& object, const ObjectKind& kind, Problems& problems, Notices& notices) {
  if (kind.others == OtherKeys::refused) object.expect_keys(names_of(kind), problems);
  if (kind.others == OtherKeys::noticed) note_others(object, kind, notices);
  check_exclusive(object, kind, problems);
}

void check_object(const Node& object, const ObjectKind& kind, Problems& problems, Notices& notices) {
  check_others(object, kind, problems, notices);
  for (const Field& field : kind.fields) {
    problems.attempt([&] { check_field(object, field, problems, notices); });
  }
}

void check_value(const Node& node, const Shapes& shapes, Problems& problems, Notices& notices) {
  const auto shape = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const Shape& candidate) { return is_of(node.kind(), candidate.type); });
  if (shape == shapes.end() && shapes.size() > 1) fail_kind(node, shapes);
  const Shape& wanted = shape == shapes.end() ? shapes.front() : *shape;
  switch (wanted.type) {
    case Type::anything:
      break;
    case Type::null:
      if (node.kind() != Kind::null) fail_kind(node, shapes);
      break;
    case Type::text:
    case Type::name:
    case Type::command:
      check_text(node, wanted);
      break;
    case Type::flag:
      static_cast<void>(node.as_bool());
      break;
    case Type::whole:
      check_whole(node, wanted);
      break;
    case Type::number:
      static_cast<void>(node.as_number(wanted.low, wanted.high));
      break;
    case Type::scalar:
      refuse_nul(node, node.scalar_text());
      break;
    case Type::list:
      check_list(node, wanted, problems, notices);
      break;
    case Type::map:
      check_map(node, wanted, problems, notices);
      break;
    case Type::object:
      check_object(node, wanted.object(), problems, notices);
      break;
  }
}

}  // namespace

CheckedObject::CheckedObject(const Node& object, const ObjectKind& kind, Problems& problems,
                             std::vector<Problem>& notices, const Keys& left)
    : object_(object) {
  static_cast<void>(object.members());
  // Each field apart, so that what is wrong in one is known to belong to it.
  const auto apart = [&](auto&& check) {
    Problems found(Problems::Mode::collect);
    found.attempt([&] { check(found); });
    for (const Problem& problem : found.found()) problems.add(problem);
    return found.empty();
  };
  apart([&](Problems& found) { check_others(object, kind, found, notices); });
  for (const Field& field : kind.fields) {
    const bool is_left = std::find(left.begin(), left.end(), field.name) != left.end();
    if (is_left && object.has(field.name)) continue;
    if (!apart([&](Problems& found) { check_field(object, field, found, notices); })) {
      wrong_.emplace(field.name);
    }
  }
}

std::optional<Node> CheckedObject::find(std::string_view key) const {
  return wrong_.contains(key) ? std::nullopt : object_.find(key);
}

void add_notice(std::vector<Problem>& notices, Problem notice) {
  constexpr std::size_t most_notices = 1000;
  if (notices.size() < most_notices) notices.push_back(std::move(notice));
}

bool read_flag(const Node& node) {
  if (node.kind() != Kind::string) return node.as_bool();
  const std::string text = node.as_string();
  return text == "true" || text == "True";
}

std::string read_name(const Node& node) {
  std::string text = node.as_string();
  if (text.empty()) node.fail("is empty; write a name");
  if (has_control_characters(text)) node.fail("holds a control character; remove it");
  return text;
}

namespace {

constexpr std::string_view hexadecimal = "0123456789abcdefABCDEF";
constexpr std::string_view decimal_digits = "0123456789";

bool only(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

bool is_statistic(std::string_view name) {
  constexpr std::array<std::string_view, 4> known = {"mean", "stdev", "MAD", "cv"};
  if (std::find(known.begin(), known.end(), name) != known.end()) return true;
  if (!name.starts_with("p")) return false;
  name.remove_prefix(1);
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::string_view whole = name.substr(0, dot);
  const std::string_view part = name.substr(std::min(dot + 1, name.size()));
  if (whole.empty() || whole.size() > 3 || !only(whole, decimal_digits) || !only(part, decimal_digits))
    return false;
  if (dot < name.size() && (part.empty() || part.size() > 6)) return false;
  const int value = std::stoi(std::string(whole));
  return value < 100 || (value == 100 && only(part, "0"));
}

bool is_digest(std::string_view text, std::size_t length) {
  return text.empty() || (text.size() == length && only(text, hexadecimal));
}

bool is_cpu_mask(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return !text.empty() && text.size() <= 256 && only(text, hexadecimal) && !only(text, "0");
}

bool is_cpu_range(std::string_view text) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto is_number = [](std::string_view number) {
    return !number.empty() && number.size() <= 5 && only(number, decimal_digits);
  };
  return is_number(text.substr(0, dash)) && (dash == text.size() || is_number(text.substr(dash + 1)));
}

bool is_cpu_list(std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (!is_cpu_range(text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

bool is_variable(std::string_view name) {
  return !name.empty() && name.find_first_of(std::string_view("=\0", 2)) == std::string_view::npos;
}

bool is_parameter_name(std::string_view name) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return !name.empty() && letters.find(name.front()) != std::string_view::npos &&
         only(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

bool is_command_flag(std::string_view name) {
  name.remove_prefix(std::min({name.find_first_not_of('-'), name.size(), std::size_t{2}}));
  return !name.empty() && name.front() != '-' &&
         only(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-");
}

bool is_flag_word(std::string_view text) {
  return text == "true" || text == "false" || text == "True" || text == "False";
}

}  // namespace

const TextRule statistic_rule = {
    R"(^(mean|stdev|MAD|cv|p([0-9]{1,2}|0[0-9]{2})(\.[0-9]{1,6})?|p100(\.0{1,6})?)$)", is_statistic,
    R"("mean", "stdev", "MAD", "cv" or a percentile such as "p50" or "p99.9")"};
const TextRule md5_rule = {"^([0-9a-fA-F]{32}|directory)?$",
                           [](std::string_view text) { return text == "directory" || is_digest(text, 32); },
                           "32 hexadecimal digits"};
const TextRule sha256_rule = {"^([0-9a-fA-F]{64})?$",
                              [](std::string_view text) { return is_digest(text, 64); },
                              "64 hexadecimal digits"};
const TextRule cpu_mask_rule = {"^(0[xX])?(?=[0-9a-fA-F]{1,256}$)0*[1-9a-fA-F][0-9a-fA-F]*$", is_cpu_mask,
                                "a mask of processors in hexadecimal digits such as \"0f\""};
const TextRule cpu_list_rule = {"^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*$", is_cpu_list,
                                "a number or a list of processors such as \"0-3,8\""};
const TextRule environment_rule = {R"(^[^=\x00]+$)", is_variable,
                                   "is not a name of an environment variable; write a name without \"=\""};
const TextRule parameter_name_rule = {
    "^[A-Za-z_][A-Za-z0-9_]*$", is_parameter_name,
    "is not a name of a parameter; write letters, digits and _, not beginning with a digit"};
const TextRule command_flag_rule = {"^-{0,2}[A-Za-z0-9_][A-Za-z0-9_-]*$", is_command_flag,
                                    "is not a name of a flag; write it as on the command line"};
const TextRule flag_word_rule = {"^([tT]rue|[fF]alse)$", is_flag_word, "true or false"};

}  // namespace tandem::specs
