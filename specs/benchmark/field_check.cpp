#include "specs/benchmark/field_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/foundation/text.hpp"

namespace tandem::specs {
namespace {

using Type = Shape::Type;
using Notices = std::vector<Problem>;

constexpr const char* no_effect = "is accepted and has no effect";
constexpr const char* of_phones = "is accepted and has no effect: Android and iOS are out of scope";

void check_value(const Node& node, const Shapes& shapes, Problems& problems, Notices& notices);

bool is_of(Kind kind, Type type) {
  switch (type) {
    case Type::anything:
      return true;
    case Type::null:
      return kind == Kind::null;
    case Type::text:
    case Type::name:
    case Type::command:
      return kind == Kind::string;
    case Type::flag:
      return kind == Kind::boolean;
    case Type::whole:
    case Type::number:
      return kind == Kind::number;
    case Type::scalar:
      return kind == Kind::string || kind == Kind::number || kind == Kind::boolean;
    case Type::list:
      return kind == Kind::array;
    case Type::map:
    case Type::object:
      return kind == Kind::object;
  }
  return false;
}

const char* words_for(const Shape& shape) {
  switch (shape.type) {
    case Type::anything:
      return "a value";
    case Type::null:
      return "null";
    case Type::text:
    case Type::name:
    case Type::command:
      return shape.rule != nullptr ? shape.rule->expected : "a string";
    case Type::flag:
      return "true or false";
    case Type::whole:
      return "a whole number";
    case Type::number:
      return "a number";
    case Type::scalar:
      return "a string, a number, or true or false";
    case Type::list:
      return "an array";
    case Type::map:
    case Type::object:
      return "an object";
  }
  return "a value";
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

void refuse_control_characters(const Node& node, const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty()) node.fail("is empty; write a name");
  if (std::any_of(text.begin(), text.end(), is_control)) node.fail("holds a control character; remove it");
}

void refuse_nul(const Node& node, const std::string& text) {
  if (text.find('\0') != std::string::npos) node.fail("holds a NUL character; remove it");
}

void check_text(const Node& node, const Shape& shape) {
  const std::string text = shape.choices.empty() ? node.as_string() : node.as_choice(shape.choices);
  if (shape.type == Type::name) refuse_control_characters(node, text);
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

}  // namespace tandem::specs
