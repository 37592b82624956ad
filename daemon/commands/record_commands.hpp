#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "daemon/commands/compare.hpp"

namespace tandem::daemon::commands {

/// `tandem report [ID]`.
struct ReportOptions {
  std::optional<std::filesystem::path> state_dir;
  std::string id;
  enum class Which { regressions, all } which = Which::regressions;
  Format format = Format::text;
};

/// `tandem report ack|dismiss|reopen|rerun ID`: what a person has to say to a record.
struct RecordOptions {
  enum class Action { acknowledge, accept, call_false_alarm, reopen, rerun };
  Action action = Action::acknowledge;
  std::optional<std::filesystem::path> state_dir;
  std::string id;  ///< or the beginning of one
  std::string by;  ///< empty: the user's name
  std::string reason;
};

/// Both throw InputError if there is no such report, or if its state does not allow what is wished.
int run_report_command(const ReportOptions& options);
/// Changes the record in the store and its files in `reports/`, also while a daemon runs.
int run_record_command(const RecordOptions& options);

}  // namespace tandem::daemon::commands
