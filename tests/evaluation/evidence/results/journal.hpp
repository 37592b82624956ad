#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::evaluation {

/// What was done so far, one line of fields separated by tabs for each piece of work. It only ever grows, and
/// each line is handed to the system at once: a part that was interrupted goes on behind the last whole line.
class Journal {
 public:
  using Fields = std::vector<std::string>;

  /// Reads what is there, if anything is, and cuts off a last line without an end.
  explicit Journal(std::filesystem::path path);

  [[nodiscard]] const std::vector<Fields>& rows() const { return rows_; }
  /// Throws Error when a field has a tab or an end of line in it, std::system_error when it cannot be
  /// written.
  void add(Fields fields);

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::vector<Fields> rows_;
};

/// The fields of one line, its end left out.
[[nodiscard]] Journal::Fields fields_in(std::string_view line);

}  // namespace tandem::evaluation
