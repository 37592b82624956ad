#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "specs/foundation/error.hpp"

namespace tandem::specs {

/// A place in a text file. Both count from 1 and columns count characters, not bytes; line 0 means the whole
/// file.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;

  friend bool operator==(const Position&, const Position&) = default;
};

/// One thing that is wrong, or worth a notice, in a file that a person wrote.
struct Problem {
  std::string file;
  Position where;
  std::string pointer;  ///< JSON pointer, empty for the whole document
  std::string message;  ///< "what is wrong; what to write"

  friend bool operator==(const Problem&, const Problem&) = default;

  /// "FILE:LINE:COLUMN: /json/pointer: message", without the parts that are empty.
  [[nodiscard]] std::string text() const;
};

/// "FILE:LINE:COLUMN", or "FILE" for the whole file.
[[nodiscard]] std::string place(const std::string& file, Position where);

/// An InputError that still knows where it happened.
class ProblemError : public InputError {
 public:
  explicit ProblemError(Problem problem) : InputError(problem.text()), problem_(std::move(problem)) {}
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

/// Where readers bring their problems: either the first one is thrown as ProblemError, or all are kept.
///
/// A reader that collects hands back whatever it could read; it is only fit for use if `empty()`.
class Problems {
 public:
  enum class Mode { stop_at_first, collect };

  static constexpr std::size_t most = 200;  ///< nobody reads further, and a hostile file could go on for long

  explicit Problems(Mode mode) : mode_(mode) {}

  /// The same problem is kept once, and nothing after `most`.
  void add(Problem problem);

  /// Runs `work`, keeping a ProblemError it throws when collecting. Does nothing any more once full.
  template <typename Work>
  void attempt(Work&& work) {
    if (full()) return;
    try {
      std::forward<Work>(work)();
    } catch (const ProblemError& error) {
      if (mode_ == Mode::stop_at_first) throw;
      add(error.problem());
    }
  }

  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] bool full() const { return found_.size() >= most; }
  [[nodiscard]] const std::vector<Problem>& found() const { return found_; }

 private:
  Mode mode_;
  std::vector<Problem> found_;
};

/// What was found in one file that a person wrote.
struct CheckedFile {
  std::string file;
  std::string kind = "benchmarks";  ///< or "config"
  std::size_t benchmarks = 0;       ///< 0 with problems
  std::vector<Problem> problems;
  std::vector<Problem> notices;  ///< what is accepted and has no effect
};

/// For programs: `{"files": [{"file", "kind", "benchmarks", "problems", "notices"}], "problems": N}`, each
/// problem and notice with file, line, column, pointer and message.
[[nodiscard]] std::string json_of(const std::vector<CheckedFile>& files);

[[nodiscard]] std::size_t count_problems(const std::vector<CheckedFile>& files);

}  // namespace tandem::specs
