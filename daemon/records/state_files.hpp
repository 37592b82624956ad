#pragma once

#include <optional>
#include <string>

namespace tandem::daemon::report {

/// What the file `tandem.state` says: by it a state directory is known.
struct StateMarker {
  int version = 1;
  std::string id;  ///< 32 hexadecimal digits, drawn when the directory was marked
};

[[nodiscard]] std::string marker_json(const StateMarker& marker);
/// Nothing if the text is not a marker.
[[nodiscard]] std::optional<StateMarker> marker_from_json(const std::string& text);

/// What lies in a folder that a daemon made for itself and the next one may remove: whose it is.
struct OwnedFolder {
  std::string owner;  ///< the id of the state directory, or of the store
};

[[nodiscard]] std::string owned_folder_json(const OwnedFolder& folder);
[[nodiscard]] std::optional<OwnedFolder> owned_folder_from_json(const std::string& text);

/// Whether it is a `status.json`.
[[nodiscard]] bool is_status_json(const std::string& text);

}  // namespace tandem::daemon::report
