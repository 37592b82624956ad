#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"

namespace tandem::daemon::commands {

struct DaemonOptions;

/// One flag of the command line that several commands share. FAI-PEP's name, with underscores; the same with
/// dashes is understood too.
struct Flag {
  std::string name;
  std::string help;
  enum class Takes { nothing, one, several } takes = Takes::one;
  std::function<void(const std::string&)> set;  ///< throws InputError; called once for each value
};
using Flags = std::vector<Flag>;

/// What is watched and how it is built and measured. The flags write into `options`, which outlives them.
[[nodiscard]] Flags walk_flags(DaemonOptions& options);

/// What FAI-PEP's harness takes beside that: files, devices, reporters, labels.
[[nodiscard]] Flags harness_flags(config::Overrides& overrides);

/// Sets flags that were not given from a spec's `default_args`. Throws InputError for a flag that is none.
void set_defaults(const Flags& flags, const std::vector<std::string>& given,
                  const std::vector<std::pair<std::string, std::string>>& defaults);

}  // namespace tandem::daemon::commands
