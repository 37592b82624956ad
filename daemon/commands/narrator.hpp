#pragma once

#include <string>

#include "daemon/commands/progress_line.hpp"
#include "daemon/status.hpp"

namespace tandem::daemon::commands {

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
