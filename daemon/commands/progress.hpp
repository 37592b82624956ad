#pragma once

#include <chrono>
#include <string>

#include "daemon/records/status.hpp"

namespace tandem::daemon::commands {

/// What a person sees while work goes on: one line that is written over on a terminal, plain lines elsewhere.
/// On standard error, so that results can be piped.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// A new piece of work; shown everywhere.
  void step(const std::string& text);
  /// How far it is; shown on terminals only, at most ten times a second.
  void update(const std::string& text);
  /// A sentence that stays.
  void say(const std::string& sentence);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{};
};

/// Turns status changes into what a person reads: verdicts and failures as lines, the rest as progress. On
/// standard error.
class Narrator {
 public:
  void operator()(const Status& status);
  void finish() { progress_.clear(); }

 private:
  void say(const std::string& line);

  ProgressLine progress_;
  bool started_ = false;
  std::string commit_;
  std::string verdict_;
  std::string error_;
  std::string failure_;
};

}  // namespace tandem::daemon::commands
