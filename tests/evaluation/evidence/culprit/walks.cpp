#include "evaluation/evidence/culprit/walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

constexpr std::size_t planted_fields = 3;
constexpr std::size_t history_fields = 14;

template <class Number>
Number number_in(const std::string& text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    throw Error(fmt::format("\"{}\" in the journal of culprit is no number", text));
  }
  return number;
}

std::vector<std::size_t> places_in(const std::string& text) {
  std::vector<std::size_t> places;
  if (text == "-") return places;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) places.push_back(number_in<std::size_t>(part));
  return places;
}

RealHistory history_in(const Journal::Fields& row) {
  RealHistory history;
  history.number = number_in<std::size_t>(row[1]);
  history.commits = number_in<std::size_t>(row[2]);
  history.percent = number_in<double>(row[3]);
  history.benchmark = row[4];
  history.culprit = number_in<std::size_t>(row[5]);
  history.broken = number_in<std::size_t>(row[6]);
  history.named = number_in<std::size_t>(row[7]);
  history.co_suspects = places_in(row[8]);
  if (!row[9].empty()) history.probability = number_in<double>(row[9]);
  if (!row[10].empty()) history.measurements = number_in<std::size_t>(row[10]);
  history.seconds = number_in<double>(row[11]);
  history.status = number_in<int>(row[12]);
  return history;
}

}  // namespace

RealHistories real_histories(std::span<const Journal::Fields> rows) {
  RealHistories histories;
  for (const Journal::Fields& row : rows) {
    if (row.front() == "planted" && row.size() == planted_fields) {
      histories.planted[row[1]] = number_in<double>(row[2]);
    } else if (row.front() == "history" && row.size() == history_fields) {
      histories.all.push_back(history_in(row));
    } else {
      throw Error(fmt::format("a line of the journal of culprit begins with \"{}\" and has {} fields",
                              row.front(), row.size()));
    }
  }
  return histories;
}

Judged judge(const RealHistory& history) {
  if (history.status > 1) return Judged::undecided;
  if (history.named == 0) return Judged::not_named;
  if (history.named == history.culprit) {
    return history.co_suspects.empty() ? Judged::exact : Judged::among;
  }
  const auto& others = history.co_suspects;
  const bool is_other = std::find(others.begin(), others.end(), history.culprit) != others.end();
  return is_other ? Judged::among : Judged::wrong;
}

}  // namespace tandem::evaluation
