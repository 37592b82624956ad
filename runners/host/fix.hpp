#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runners/host/sources.hpp"
#include "specs/foundation/file_lock.hpp"

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

/// A value of the host that was, or was about to be, changed.
struct HostChange {
  std::string file;  ///< from the root
  std::string before;
  std::string wanted;

  bool operator==(const HostChange&) const = default;
};

/// The changes in a journal's text under this heading. Torn and foreign lines are passed over, and so are
/// files that are no settings.
[[nodiscard]] std::vector<HostChange> read_journal(std::string_view text, std::string_view heading);

/// What was done about one setting, or why not.
struct FixStep {
  enum class Result { set, already, left_alone, failed } result = Result::already;
  std::string name;
  std::string said;  ///< "performance on 8 processors, was powersave"
};

/// What setting back came to.
struct Restored {
  std::size_t values = 0;             ///< that were set back
  std::vector<std::string> remarks;   ///< what somebody else changed meanwhile, or is gone: left alone
  std::vector<std::string> failures;  ///< what is still as we set it; the journal keeps it
};

/// The host set up for measuring for as long as this lives, or until `restore`. One at a time for each
/// folder; values go back in reverse order.
///
/// Every value is on disk in the folder's journal before it is changed, so that the next one here, or
/// `restore_host`, sets back what a killed process left. The journal does not outlive a restart of the host,
/// which sets everything back by itself: then it counts as empty. Throws Error if the folder or the journal
/// cannot be used or another process holds it; then nothing was changed, or what was is set back.
class PlatformFix {
 public:
  PlatformFix(PlatformSources sources, const std::filesystem::path& folder);
  ~PlatformFix();
  PlatformFix(const PlatformFix&) = delete;
  PlatformFix& operator=(const PlatformFix&) = delete;

  /// From a process that was killed; set back before anything else.
  [[nodiscard]] const Restored& leftovers() const { return leftovers_; }
  [[nodiscard]] const std::vector<FixStep>& steps() const { return steps_; }

  /// Once; a second call does nothing.
  Restored restore();

 private:
  FixStep set(const HostSetting& setting);

  PlatformSources sources_;
  FileLock lock_;
  std::filesystem::path journal_;
  std::vector<HostChange> changes_;
  Restored leftovers_;
  std::vector<FixStep> steps_;
};

/// Sets back what a killed process left. Throws Error as above.
[[nodiscard]] Restored restore_host(const PlatformSources& sources, const std::filesystem::path& folder);

}  // namespace tandem::runners
