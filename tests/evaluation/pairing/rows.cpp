#include "evaluation/pairing/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <istream>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

template <class Number>
Number number_in(const std::string& field, std::size_t line) {
  Number number{};
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  if (error != std::errc{} || end != field.data() + field.size()) {
    throw Error(fmt::format("line {} of the rows has \"{}\" where a number belongs", line, field));
  }
  return number;
}

std::optional<double> value_in(const std::string& field, std::size_t line) {
  if (field == "-") return std::nullopt;
  return number_in<double>(field, line);
}

std::string shown(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "-";
}

}  // namespace

std::vector<Row> read_rows(std::istream& lines) {
  std::vector<Row> rows;
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      fields.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    if (fields.size() != 9)
      throw Error(fmt::format("line {} of the rows has {} fields of 9", number, fields.size()));
    rows.push_back({fields[0], number_in<int>(fields[1], number), fields[2], fields[3],
                    value_in(fields[4], number), value_in(fields[5], number), value_in(fields[6], number),
                    number_in<std::size_t>(fields[7], number), fields[8]});
  }
  return rows;
}

std::string rest_of_line(const Row& row) {
  std::string note = row.note.empty() ? "-" : row.note;
  std::replace_if(
      note.begin(), note.end(), [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", row.outcome, shown(row.ratio), shown(row.total),
                     shown(row.seconds), row.count, note);
}

}  // namespace tandem::evaluation
