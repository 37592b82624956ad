#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/verdict.hpp"
#include "specs/foundation/error.hpp"

// Reading members of a JSON object of ours, strictly: each function throws Error that names the member when
// it is missing or of another kind. Used by the readers of this folder only.
namespace tandem::daemon::report {

using Json = nlohmann::ordered_json;

[[nodiscard]] const Json& member(const Json& object, const char* name);
[[nodiscard]] std::string text_at(const Json& object, const char* name);
[[nodiscard]] std::vector<std::string> texts_at(const Json& object, const char* name);
/// A finite number, or null, which stands for infinity because JSON has no word for it.
[[nodiscard]] double number_at(const Json& object, const char* name);
[[nodiscard]] std::vector<double> numbers_at(const Json& object, const char* name);
[[nodiscard]] std::uint64_t count_at(const Json& object, const char* name);
[[nodiscard]] bool truth_at(const Json& object, const char* name);
[[nodiscard]] std::int64_t time_at(const Json& object, const char* name);

[[nodiscard]] analysis::Outcome outcome_at(const Json& object, const char* name);

/// The one of `all` whose name_of is the text at `name`.
template <class Enum, class NameOf>
[[nodiscard]] Enum choice_at(const Json& object, const char* name, std::initializer_list<Enum> all,
                             NameOf name_of) {
  const std::string text = text_at(object, name);
  for (const Enum one : all) {
    if (text == name_of(one)) return one;
  }
  throw Error("\"" + text + "\" is no " + name);
}

}  // namespace tandem::daemon::report
