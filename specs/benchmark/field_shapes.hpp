#pragma once

#include <utility>

#include "specs/benchmark/fields.hpp"

namespace tandem::specs {

// The forms of text in benchmark files.

extern const TextRule statistic_rule;       ///< "mean", "stdev", "MAD", "cv", "p99.9"
extern const TextRule md5_rule;             ///< or empty, or FAI-PEP's "directory"
extern const TextRule sha256_rule;          ///< or empty
extern const TextRule cpu_mask_rule;        ///< as of taskset: "0f"
extern const TextRule cpu_list_rule;        ///< "0-3,8"
extern const TextRule environment_rule;     ///< the name of a variable
extern const TextRule parameter_name_rule;  ///< letters, digits and _
extern const TextRule command_flag_rule;    ///< of the command line, with or without dashes
extern const TextRule flag_word_rule;       ///< true and false as texts

}  // namespace tandem::specs

namespace tandem::specs::shapes {

/// The words that the tables of specs/benchmark/fields.cpp are written in.
constexpr double longest_seconds = 366.0 * 24 * 3600;
constexpr double most_iterations = 1e9;
constexpr double most_repeats = 1e6;
constexpr double most_tries = 100;
constexpr double last_cpu = 65535;
constexpr double largest_dimension = 9007199254740992.0;  // 2^53
constexpr double largest_number = std::numeric_limits<double>::max();
constexpr std::size_t most_commands = 100;
constexpr std::size_t most_build_entries = 256;

inline Keys protocol_names() {
  return {"auto", "sdk", "observer", "command", "google_benchmark", "benchdnn"};
}
inline Keys pairing_choices() {
  return {"auto", "alternate", "duet", "process", "process_together"};
}
inline Keys direction_names() {
  return {"lower_is_better", "higher_is_better"};
}
inline Keys counter_names() {
  return {"auto", "perf", "callgrind"};
}

inline Shape of(Shape::Type type) {
  Shape shape;
  shape.type = type;
  return shape;
}
inline Shape anything() {
  return of(Shape::Type::anything);
}
inline Shape null() {
  return of(Shape::Type::null);
}
inline Shape text() {
  return of(Shape::Type::text);
}
inline Shape text(const TextRule& rule) {
  Shape shape = text();
  shape.rule = &rule;
  return shape;
}
inline Shape choice(Keys choices) {
  Shape shape = text();
  shape.choices = std::move(choices);
  return shape;
}
inline Shape name() {
  return of(Shape::Type::name);
}
inline Shape command() {
  return of(Shape::Type::command);
}
inline Shape scalar() {
  return of(Shape::Type::scalar);
}
inline Shapes flag() {
  return {of(Shape::Type::flag), text(flag_word_rule)};
}
inline Shape number(double low, double high) {
  Shape shape = of(Shape::Type::number);
  shape.low = low;
  shape.high = high;
  return shape;
}
inline Shape whole(double low, double high) {
  Shape shape = number(low, high);
  shape.type = Shape::Type::whole;
  return shape;
}
inline Shape whole_but(double low, double high, std::int64_t except) {
  Shape shape = whole(low, high);
  shape.except = except;
  return shape;
}
inline Shape list(Shapes items, std::size_t least = 0, std::size_t most = 0) {
  Shape shape = of(Shape::Type::list);
  shape.items = std::move(items);
  shape.least_items = least;
  shape.most_items = most;
  return shape;
}
inline Shape map(Shapes values) {
  Shape shape = of(Shape::Type::map);
  shape.items = std::move(values);
  return shape;
}
inline Shape map(Shapes values, const TextRule& keys) {
  Shape shape = map(std::move(values));
  shape.key_rule = &keys;
  return shape;
}
inline Shape environment() {
  return map({scalar()}, environment_rule);
}
inline Shape object(const ObjectKind& (*kind)()) {
  Shape shape = of(Shape::Type::object);
  shape.object = kind;
  return shape;
}

}  // namespace tandem::specs::shapes
