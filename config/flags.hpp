#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings.hpp"

namespace tandem::config {

/// One flag of the command line that sets a setting. FAI-PEP's name, with underscores; the same with dashes
/// is understood too.
struct Flag {
  std::string name;
  std::string setting;  ///< two flags may set one
  std::string help;
  enum class Takes { nothing, one, several } takes = Takes::one;
  std::function<void(const std::string&)> set;  ///< throws InputError; called once for each value
};
using Flags = std::vector<Flag>;

/// The flags of every command that builds and measures commits. They write into `said`, which outlives them.
[[nodiscard]] Flags shared_flags(Overrides& said);
/// Those of the daemon alone.
[[nodiscard]] Flags daemon_flags(Overrides& said);

/// Sets flags that were not given from a spec's `default_args`; `given` are names of settings. Throws
/// InputError for a flag that is none.
void set_defaults(const Flags& flags, const std::vector<std::string>& given,
                  const std::vector<std::pair<std::string, std::string>>& defaults);

/// The object of `--string_map` as FAI-PEP takes it: JSON text. Throws InputError.
[[nodiscard]] Texts string_map_of(const std::string& text);

}  // namespace tandem::config
