#include "specs/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::specs {

std::string place(const std::string& file, Position where) {
  return where.line == 0 ? file : fmt::format("{}:{}:{}", file, where.line, where.column);
}

std::string Problem::text() const {
  std::string result = place(file, where) + ": ";
  if (!pointer.empty()) result += pointer + ": ";
  return result + message;
}

void Problems::add(Problem problem) {
  if (mode_ == Mode::stop_at_first) throw ProblemError(std::move(problem));
  if (full() || std::find(found_.begin(), found_.end(), problem) != found_.end()) return;
  found_.push_back(std::move(problem));
}

}  // namespace tandem::specs
