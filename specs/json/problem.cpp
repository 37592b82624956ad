#include "specs/json/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

namespace {

using Json = nlohmann::ordered_json;

Json list_of(const std::vector<Problem>& problems) {
  Json list = Json::array();
  for (const Problem& problem : problems) {
    list.push_back({{"file", problem.file},
                    {"line", problem.where.line},
                    {"column", problem.where.column},
                    {"pointer", problem.pointer},
                    {"message", problem.message}});
  }
  return list;
}

}  // namespace

std::size_t count_problems(const std::vector<CheckedFile>& files) {
  std::size_t count = 0;
  for (const CheckedFile& file : files) count += file.problems.size();
  return count;
}

std::string json_of(const std::vector<CheckedFile>& files) {
  Json list = Json::array();
  for (const CheckedFile& file : files) {
    list.push_back({{"file", file.file},
                    {"kind", file.kind},
                    {"benchmarks", file.benchmarks},
                    {"problems", list_of(file.problems)},
                    {"notices", list_of(file.notices)}});
  }
  const Json all = {{"files", std::move(list)}, {"problems", count_problems(files)}};
  // A file's name may be any bytes.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tandem::specs
