#include "daemon/records/json_values.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

[[noreturn]] void refuse(const char* name, const char* wanted) {
  throw Error(fmt::format("\"{}\" must be {}", name, wanted));
}

double number_from(const Json& value, const char* name) {
  if (value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number()) refuse(name, "a number or null");
  return value.get<double>();
}

const Json& list_at(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_array()) refuse(name, "an array");
  return value;
}

}  // namespace

const Json& member(const Json& object, const char* name) {
  if (!object.is_object()) throw Error(fmt::format("there is no object to hold \"{}\"", name));
  const auto found = object.find(name);
  if (found == object.end()) throw Error(fmt::format("\"{}\" is missing", name));
  return *found;
}

std::string text_at(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) refuse(name, "a string");
  return value.get<std::string>();
}

std::vector<std::string> texts_at(const Json& object, const char* name) {
  std::vector<std::string> texts;
  for (const Json& value : list_at(object, name)) {
    if (!value.is_string()) refuse(name, "an array of strings");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

double number_at(const Json& object, const char* name) {
  return number_from(member(object, name), name);
}

std::vector<double> numbers_at(const Json& object, const char* name) {
  std::vector<double> numbers;
  for (const Json& value : list_at(object, name)) numbers.push_back(number_from(value, name));
  return numbers;
}

std::uint64_t count_at(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_number_unsigned()) refuse(name, "a whole number from 0 on");
  return value.get<std::uint64_t>();
}

bool truth_at(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_boolean()) refuse(name, "true or false");
  return value.get<bool>();
}

std::int64_t time_at(const Json& object, const char* name) {
  const auto seconds = seconds_from_iso(text_at(object, name));
  if (!seconds) refuse(name, "a time such as \"2024-01-08T09:12:00Z\"");
  return *seconds;
}

analysis::Outcome outcome_at(const Json& object, const char* name) {
  const std::string text = text_at(object, name);
  if (const auto outcome = analysis::outcome_named(text)) return *outcome;
  throw Error("\"" + text + "\" is no " + name);
}

}  // namespace tandem::daemon::report
