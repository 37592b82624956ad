#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/json/document.hpp"

namespace tandem::specs {

// What may stand in a benchmark file, written down once: the reader checks every object against these tables
// (specs/benchmark/field_check.hpp), and the JSON Schema that editors use is made from them
// (specs/benchmark/schema.hpp).

struct Field;
struct ObjectKind;

/// Texts of a form that is neither free nor out of a list.
struct TextRule {
  const char* pattern;  ///< the same as `fits`, as a regular expression of ECMAScript
  bool (*fits)(std::string_view);
  const char* expected;  ///< "32 hexadecimal digits"
};

/// What a value may be.
struct Shape {
  enum class Type {
    anything,
    null,
    text,
    name,     ///< a text that is not empty and has no control characters
    command,  ///< a text with more than blanks and without NUL
    flag,
    whole,
    number,
    scalar,  ///< a text without NUL, a number, true or false
    list,
    map,    ///< an object with keys of the user's own
    object  ///< an object with known keys
  };
  Type type = Type::anything;
  double low = std::numeric_limits<double>::lowest();  ///< of numbers
  double high = std::numeric_limits<double>::max();
  std::optional<std::int64_t> except = {};  ///< a whole number in the range that is not meant
  Keys choices = {};                        ///< of a text; empty: any
  const TextRule* rule = nullptr;           ///< of a text
  const TextRule* key_rule = nullptr;       ///< of the keys of a map
  std::vector<Shape> items = {};            ///< alternatives for each item of a list or value of a map
  std::size_t least_items = 0;              ///< of a list
  std::size_t most_items = 0;               ///< of a list; 0: any number
  const ObjectKind& (*object)() = nullptr;  ///< a function, for objects may hold each other
};
using Shapes = std::vector<Shape>;  ///< alternatives, no two of one JSON kind

enum class Need { optional, required };

/// What comes of a field that is right.
enum class Effect {
  read,
  described,  ///< it describes the model; nothing is expected of it
  none,       ///< FAI-PEP's, accepted, a notice says that it does nothing
  phone       ///< the same, for it belongs to Android or iOS
};

struct Field {
  std::string_view name;
  Shapes shapes;
  std::string_view description;
  Need need = Need::optional;
  Effect effect = Effect::read;
};

/// Which keys an object may have beside the known ones.
enum class OtherKeys {
  refused,
  free,    ///< fields of the user's own
  noticed  ///< accepted and without effect
};

struct ObjectKind {
  const char* name;
  std::vector<Field> fields;
  OtherKeys others = OtherKeys::refused;
  std::vector<Keys> exclusive = {};  ///< of each group one key at most
};

[[nodiscard]] const ObjectKind& suite_kind();      ///< {"meta": …, "benchmarks": […]}
[[nodiscard]] const ObjectKind& benchmark_kind();  ///< {"model": …, "tests": […]}
[[nodiscard]] const ObjectKind& model_kind();
[[nodiscard]] const ObjectKind& meta_kind();  ///< a model's fields, none of them required
[[nodiscard]] const ObjectKind& test_kind();
[[nodiscard]] const ObjectKind& build_kind();
[[nodiscard]] const ObjectKind& golden_kind();
[[nodiscard]] const ObjectKind& platform_args_kind();

[[nodiscard]] Keys names_of(const ObjectKind& kind);

}  // namespace tandem::specs
