#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specs/json/document.hpp"

namespace tandem::specs {

// What may stand in a benchmark file, written down once: the reader checks every object against these tables,
// and the JSON Schema that editors use is made from them.

struct Field;
struct ObjectKind;

/// Texts of a form that is neither free nor out of a list.
struct TextRule {
  const char* pattern;  ///< the same as `fits`, as a regular expression of ECMAScript
  bool (*fits)(std::string_view);
  const char* expected;  ///< "32 hexadecimal digits"
};

extern const TextRule statistic_rule;       ///< "mean", "stdev", "MAD", "cv", "p99.9"
extern const TextRule md5_rule;             ///< or empty, or FAI-PEP's "directory"
extern const TextRule sha256_rule;          ///< or empty
extern const TextRule cpu_mask_rule;        ///< as of taskset: "0f"
extern const TextRule cpu_list_rule;        ///< "0-3,8"
extern const TextRule environment_rule;     ///< the name of a variable
extern const TextRule parameter_name_rule;  ///< letters, digits and _
extern const TextRule command_flag_rule;    ///< of the command line, with or without dashes
extern const TextRule flag_word_rule;       ///< true and false as texts

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

/// An object that was checked against its table. Members that are wrong have become problems and are not
/// found any more, so a reader meets only what the table allows.
class CheckedObject {
 public:
  /// A notice in `notices` for every member that is accepted and has no effect. The values of the fields in
  /// `left` are checked by whoever reads them.
  CheckedObject(const Node& object, const ObjectKind& kind, Problems& problems, std::vector<Problem>& notices,
                const Keys& left = {});

  [[nodiscard]] const Node& node() const { return object_; }
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }

 private:
  Node object_;
  std::set<std::string, std::less<>> wrong_;
};

/// Adds a notice, up to a number that nobody reads to its end.
void add_notice(std::vector<Problem>& notices, Problem notice);

/// true, false or their names.
[[nodiscard]] bool read_flag(const Node& node);

/// A text that is not empty and has no control characters.
[[nodiscard]] std::string read_name(const Node& node);

/// The JSON Schema (draft 2020-12) of benchmark files and suites, made from these tables. What it refuses,
/// the reader refuses; the reader also follows placeholders, names and files.
/// specs/schema/benchmark.schema.json holds this text.
[[nodiscard]] std::string benchmark_schema();

}  // namespace tandem::specs
