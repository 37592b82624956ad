#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runners/host/sources.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {

/// A value of the host that was, or was about to be, changed.
struct HostChange {
  std::string file;  ///< from the root
  std::string before;
  std::string wanted;

  bool operator==(const HostChange&) const = default;
};

/// What must be set back, on disk, so that it outlives a killed process. It does not outlive a restart of the
/// host, which sets everything back by itself: then it counts as empty.
///
/// Throws Error where it cannot be written, and where the file belongs to another user or is no plain file.
class PlatformJournal {
 public:
  PlatformJournal(const PlatformSources& sources, std::filesystem::path file);

  /// What a journal that was there already says, in the order of setting.
  [[nodiscard]] const std::vector<HostChange>& left() const { return left_; }

  /// On disk when it returns.
  void add(const HostChange& change);
  /// Keeps only these; none: removes the file.
  void keep_only(const std::vector<HostChange>& changes);

 private:
  std::filesystem::path path_;
  std::string heading_;
  std::vector<HostChange> left_;
  OwnedDescriptor file_;
};

/// The changes in a journal's text under this heading. Torn and foreign lines are passed over, and so are
/// files that are no settings.
[[nodiscard]] std::vector<HostChange> read_journal(std::string_view text, std::string_view heading);

}  // namespace tandem::runners
