#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "evaluation/evidence/results/result_file.hpp"

namespace tandem::evaluation {
namespace {

using Facts = std::map<std::string, std::string>;

/// With a backslash before each of the characters; ends of lines become blanks.
std::string escaped(const std::string& text, const std::string& characters) {
  std::string safe;
  for (const char c : text) {
    if (characters.find(c) != std::string::npos) safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe;
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + escaped(cell, "|") + " |";
  return line + "\n";
}

std::string table_of(const std::vector<std::string>& columns,
                     const std::vector<std::vector<std::string>>& rows) {
  std::string text = row_of(columns) + "|";
  for (std::size_t i = 0; i < columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : rows) text += row_of(row);
  return text;
}

std::string time_of(double seconds) {
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto minutes = static_cast<long long>(std::llround(seconds / 60));
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string answer_of(Goal::Met met) {
  switch (met) {
    case Goal::Met::yes:
      return "yes";
    case Goal::Met::no:
      return "**missed**";
    case Goal::Met::unknown:
      break;
  }
  return "not known";
}

/// What all parts say alike of their host.
Facts shared_facts(std::span<const PartResult> results) {
  Facts shared = results.empty() ? Facts{} : results.front().host;
  for (const PartResult& result : results) {
    std::erase_if(shared, [&](const auto& fact) {
      const auto found = result.host.find(fact.first);
      return found == result.host.end() || found->second != fact.second;
    });
  }
  return shared;
}

std::string host_table(const Facts& facts) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : facts) rows.push_back({name, value});
  return table_of({"host", ""}, rows);
}

/// Why goals were missed, or are not known.
std::string reasons_of(const PartResult& result) {
  std::string text;
  for (const Goal& goal : result.goals) {
    if (goal.met == Goal::Met::yes || (goal.met == Goal::Met::unknown && goal.why.empty())) continue;
    text += fmt::format("**{}: {}.** {}\n\n", goal.met == Goal::Met::no ? "Missed" : "Not known", goal.what,
                        goal.why.empty() ? "The reason has not been found." : goal.why);
  }
  return text;
}

std::string facts_line(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string section_of(const PartResult& result, const Facts& shared) {
  std::string text = fmt::format("## {}\n\n", result.title);
  if (!result.says.empty()) text += result.says + "\n\n";
  text += fmt::format("`{}`, seed {}, ended {}, {} of machine time.", result.command, result.seed, result.at,
                      time_of(result.seconds));
  Facts own = result.host;
  std::erase_if(own, [&](const auto& fact) { return shared.contains(fact.first); });
  if (!own.empty()) text += " Host: " + facts_line(own) + ".";
  text += "\n\n" + reasons_of(result);
  for (const Plot& plot : result.plots) {
    text += fmt::format("![{}]({}.svg)\n\n", escaped(plot.title, "[]\\"), plot.name);
  }
  for (const Table& table : result.tables) {
    if (!table.title.empty()) text += fmt::format("### {}\n\n", table.title);
    text += table_of(table.columns, table.rows) + "\n";
    if (!table.below.empty()) text += table.below + "\n\n";
  }
  for (const std::string& note : result.notes) text += "- " + escaped(note, "") + "\n";
  if (!result.notes.empty()) text += "\n";
  return text;
}

}  // namespace

std::string goals_of(std::span<const PartResult> results) {
  std::vector<std::vector<std::string>> rows;
  for (const PartResult& result : results) {
    for (const Goal& goal : result.goals) {
      const std::string source = goal.source.empty() ? "" : fmt::format(" ({})", goal.source);
      rows.push_back({goal.what + source, goal.target, goal.measured, answer_of(goal.met), result.part});
    }
  }
  return rows.empty() ? "" : table_of({"goal", "target", "measured", "met", "part"}, rows);
}

std::string page_of(std::span<const PartResult> results) {
  const Facts shared = shared_facts(results);
  std::string text =
      "# The evidence\n\n"
      "Made by `./dev evaluate` from what it measured; no figure is written by hand. Each part names its "
      "command, seed and time.\n\n";
  if (!shared.empty()) text += host_table(shared) + "\n";
  if (const std::string goals = goals_of(results); !goals.empty()) text += "## Goals\n\n" + goals + "\n";
  for (const PartResult& result : results) text += section_of(result, shared);
  text.pop_back();  // one end of line is enough for the last paragraph
  return text;
}

}  // namespace tandem::evaluation
