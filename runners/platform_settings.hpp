#pragma once

#include <string>
#include <vector>

#include "runners/platform_sources.hpp"

namespace tandem::runners {

/// One thing of the host that is set for measuring, in as many files as the kernel keeps it in.
struct HostSetting {
  std::string name;
  std::string wanted;
  std::vector<std::string> files;  ///< from the root; those that exist
  /// Why it is not touched; empty when it is.
  std::string left_alone;
};

/// What there is to set on this host, in the order of setting, and what is not touched, with the reason.
/// SMT comes first: it takes processors away, and with them their files.
[[nodiscard]] std::vector<HostSetting> settings_for_measuring(const PlatformSources& sources);

/// Whether this is one of the files that such settings are kept in. What was journalled elsewhere is not
/// written back.
[[nodiscard]] bool is_setting_file(const std::string& file);

}  // namespace tandem::runners
