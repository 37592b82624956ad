#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specs/json/problem.hpp"

namespace tandem::specs {

enum class Kind { null, boolean, number, string, array, object };

[[nodiscard]] const char* name_of(Kind kind);  ///< "null", "true or false", "a number", …

struct JsonStorage;
struct Member;
using Keys = std::vector<std::string_view>;

/// One value of a JSON document: a cheap copyable handle that keeps its document alive.
///
/// Every reading function throws ProblemError with file, line, column, JSON pointer, what was found and what
/// is expected.
class Node {
 public:
  Node(std::shared_ptr<const JsonStorage> storage, std::uint32_t index);

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] std::string as_string() const;
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] double as_number(double low = std::numeric_limits<double>::lowest(),
                                 double high = std::numeric_limits<double>::max()) const;
  [[nodiscard]] std::int64_t as_integer(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                                        std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
  [[nodiscard]] std::string as_choice(const Keys& allowed) const;  ///< a string out of these

  /// A scalar as it is written in the file: 3, 0.50, true, or the string without quotes.
  [[nodiscard]] std::string scalar_text() const;

  [[nodiscard]] std::vector<Node> items() const;      ///< of an array
  [[nodiscard]] std::vector<Member> members() const;  ///< of an object, in file order
  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;  ///< of an object
  [[nodiscard]] Node at(std::string_view key) const;                   ///< a missing key is a problem

  /// A problem for every key of this object that is not among `allowed`.
  void expect_keys(const Keys& allowed, Problems& problems) const;

  [[nodiscard]] const std::string& file() const;
  [[nodiscard]] Position position() const;
  [[nodiscard]] std::string pointer() const;
  [[nodiscard]] std::string found() const;  ///< `3`, `the string "x"`, `an object`
  [[nodiscard]] Problem problem(std::string message) const;
  [[noreturn]] void fail(std::string message) const;

 private:
  void expect(Kind kind) const;

  std::shared_ptr<const JsonStorage> storage_;
  std::uint32_t index_;
};

struct Member {
  std::string key;
  Node value;
};

/// How much of a hostile file is read before it is refused.
struct JsonLimits {
  std::size_t bytes = std::size_t{4} << 20;
  std::size_t depth = 64;
  std::size_t values = 250'000;
};

/// A JSON text with // and /* */ comments whose values know where they stand.
///
/// Text that is not JSON throws ProblemError, in either mode of `problems`. A key that appears twice in one
/// object is a problem; when collecting, its first value counts.
class JsonDocument {
 public:
  [[nodiscard]] static JsonDocument parse(std::string text, std::string file, Problems& problems,
                                          const JsonLimits& limits = {});
  [[nodiscard]] static JsonDocument parse(std::string text, std::string file);
  [[nodiscard]] static JsonDocument load(const std::filesystem::path& file, Problems& problems,
                                         const JsonLimits& limits = {});
  [[nodiscard]] static JsonDocument load(const std::filesystem::path& file);

  [[nodiscard]] Node root() const { return {storage_, 0}; }
  [[nodiscard]] const std::string& file() const;

 private:
  explicit JsonDocument(std::shared_ptr<const JsonStorage> storage);

  std::shared_ptr<const JsonStorage> storage_;
};

}  // namespace tandem::specs
