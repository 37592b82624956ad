#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specs/benchmark/fields.hpp"

namespace tandem::specs {

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

}  // namespace tandem::specs
