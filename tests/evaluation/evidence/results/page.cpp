#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "evaluation/evidence/results/result.hpp"

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

std::string time_of(double seconds) {
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const auto minutes = static_cast<long long>(std::llround(seconds / 60));
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string answer_of(Goal::Met met) {
  return met == Goal::Met::yes ? "yes" : met == Goal::Met::no ? "**missed**" : "not known";
}

int badness_of(Goal::Met met) {
  return met == Goal::Met::no ? 2 : met == Goal::Met::unknown ? 1 : 0;
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
  return markdown_of({"", {"host", ""}, rows});
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
    text += markdown_of(table) + "\n";
    if (!table.below.empty()) text += table.below + "\n\n";
  }
  for (const std::string& note : result.notes) text += "- " + escaped(note, "") + "\n";
  if (!result.notes.empty()) text += "\n";
  return text;
}

}  // namespace

std::string markdown_of(const Table& table) {
  std::string text = row_of(table.columns) + "|";
  for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& row : table.rows) text += row_of(row);
  return text;
}

std::string goals_of(std::span<const HostResults> hosts) {
  struct Row {
    const PartResult* part;
    const Goal* goal;
    std::vector<std::pair<std::string, std::string>> measured;  ///< by processor
    Goal::Met met;
  };
  std::vector<Row> rows;
  for (const HostResults& host : hosts) {
    for (const PartResult& result : host.results) {
      for (const Goal& goal : result.goals) {
        auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& one) {
          return one.part->part == result.part && one.goal->what == goal.what;
        });
        if (row == rows.end()) row = rows.insert(rows.end(), {&result, &goal, {}, goal.met});
        row->measured.emplace_back(host.processor(), goal.measured);
        if (badness_of(goal.met) > badness_of(row->met)) row->met = goal.met;
      }
    }
  }
  std::vector<std::vector<std::string>> cells;
  for (const auto& [part, goal, measured, worst] : rows) {
    std::string figures;
    for (const auto& [processor, figure] : measured) {
      if (!figures.empty()) figures += " · ";
      figures += measured.size() > 1 ? fmt::format("{}: {}", processor, figure) : figure;
    }
    const std::string source = goal->source.empty() ? "" : fmt::format(" ({})", goal->source);
    cells.push_back({goal->what + source, goal->target, figures, answer_of(worst), part->part});
  }
  return cells.empty() ? "" : markdown_of({"", {"goal", "target", "measured", "met", "part"}, cells});
}

std::string overview_of(std::span<const HostResults> hosts) {
  std::vector<std::vector<std::string>> rows;
  for (const HostResults& host : hosts) {
    std::string parts;
    for (const PartResult& result : host.results) parts += (parts.empty() ? "" : ", ") + result.part;
    rows.push_back({fmt::format("[{}]({}/README.md)", host.processor(), host.folder), parts});
  }
  return "# The evidence, by kind of host\n\n"
         "Each folder has what `./dev evaluate` measured on one kind of processor.\n\n" +
         markdown_of({"", {"processor", "parts"}, rows}) +
         "\n## Goals\n\nEach goal has the figures of every host that measured it, and the worst answer.\n\n" +
         goals_of(hosts);
}

std::string page_of(std::span<const PartResult> results) {
  const Facts shared = shared_facts(results);
  std::string text =
      "# The evidence\n\n"
      "Made by `./dev evaluate` from what it measured; no figure is written by hand. Each part names its "
      "command, seed and time.\n\n";
  if (!shared.empty()) text += host_table(shared) + "\n";
  const HostResults host{{}, {results.begin(), results.end()}};
  if (const std::string goals = goals_of(std::span(&host, 1)); !goals.empty())
    text += "## Goals\n\n" + goals + "\n";
  for (const PartResult& result : results) text += section_of(result, shared);
  text.pop_back();  // one end of line is enough for the last paragraph
  return text;
}

}  // namespace tandem::evaluation
