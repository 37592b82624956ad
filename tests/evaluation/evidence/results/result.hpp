#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluation/evidence/plots/plot.hpp"

namespace tandem::evaluation {

/// A table of a page; every cell is text that is ready to be read.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string below = {};  ///< what has to be said of it; Markdown

  bool operator==(const Table&) const = default;
};

/// One promise of the design, or one published figure, and what became of it.
struct Goal {
  std::string source;    ///< such as "design 5" or "stats 7"
  std::string what;      ///< "false suspects of equal builds"
  std::string target;    ///< "at most 0.6 %"
  std::string measured;  ///< "0.09 % (3 of 3 200; 95 % interval 0.02 to 0.27 %)"
  enum class Met { yes, no, unknown } met = Met::unknown;  ///< unknown: not enough was measured to say
  std::string why = {};  ///< of a goal that was missed, or why it is not known

  bool operator==(const Goal&) const = default;
};

/// Everything a part of the evaluation has to say. Plain values: pages and plots are made from it alone.
struct PartResult {
  std::string part;   ///< "replay": its files are replay.json and replay-*.svg
  std::string title;  ///< "Recorded launches, replayed"
  std::string says;   ///< a paragraph: what was done, what it shows and what it does not; Markdown
  std::string command;
  std::uint64_t seed = 1;
  std::string at;      ///< when it ended, ISO 8601 UTC
  double seconds = 0;  ///< of machine time, all runs together
  std::map<std::string, std::string> host;
  std::vector<Goal> goals;
  std::vector<Table> tables;
  std::vector<Plot> plots;
  std::vector<std::string> notes;
  std::map<std::string, double> figures;  ///< the bare numbers, for programs

  bool operator==(const PartResult&) const = default;
};

}  // namespace tandem::evaluation
