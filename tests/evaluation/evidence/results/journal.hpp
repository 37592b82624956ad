#pragma once

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
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

/// Reads a field that is a number and nothing else. False, with the number in any state, if it is not.
template <class Number>
[[nodiscard]] bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Takes the fields of a line one after the other.
class FieldReader {
 public:
  /// The fields have to stay; those before `first` are passed over.
  explicit FieldReader(const Journal::Fields& fields, std::size_t first = 0) : fields_(fields), at_(first) {}

  FieldReader& operator>>(std::string& text) {
    text = next();
    return *this;
  }
  /// An empty field or a dash stands for no value.
  FieldReader& operator>>(std::optional<double>& value) {
    const std::string& text = next();
    value.reset();
    if (!text.empty() && text != "-") is_good_ = read_number(text, value.emplace()) && is_good_;
    return *this;
  }
  template <class Number>
  FieldReader& operator>>(Number& number) {
    is_good_ = read_number(next(), number) && is_good_;
    return *this;
  }

  /// Whether all fields were taken, none was missing, and each number was one.
  [[nodiscard]] bool is_whole() const { return is_good_ && at_ == fields_.size(); }

 private:
  const std::string& next() {
    static const std::string none;
    if (at_ < fields_.size()) return fields_[at_++];
    is_good_ = false;
    return none;
  }

  const Journal::Fields& fields_;
  std::size_t at_;
  bool is_good_ = true;
};

}  // namespace tandem::evaluation
