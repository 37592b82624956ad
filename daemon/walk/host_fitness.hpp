#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/store/store.hpp"

// Whether what this host measures may be recorded.
namespace tandem::daemon {

/// The watch under which calibrations made by hand are kept.
inline constexpr const char* calibrated_by_hand = "by hand";

/// How long a host stays in quarantine where nothing more is seen.
inline constexpr std::int64_t quarantine_seconds = 7 * 24 * 60 * 60;

/// A benchmark in quarantine; those of different watches may have one name.
struct Quarantined {
  std::int64_t at = 0;
  WatchKey key;
  std::string benchmark;

  [[nodiscard]] bool is_of(const WatchKey& other, const std::string& name) const {
    return key == other && benchmark == name;
  }
};

/// Oldest first. A line that cannot be read is no entry.
[[nodiscard]] std::vector<Quarantined> quarantined(const store::Store& store);
void set_quarantined(store::Store& store, const std::vector<Quarantined>& entries);
[[nodiscard]] bool is_over(const Quarantined& entry, std::int64_t now);

/// A sentence if a benchmark of this host was seen to differ from itself within quarantine_seconds before
/// `now`, and has not been seen to be unchanged since; empty: all is well.
[[nodiscard]] std::string quarantine(const store::Store& store, std::int64_t now);

/// Whether nothing may be recorded on this host: a sentence, or nothing. The calibrations of all watches say
/// so, or a benchmark was seen to differ from itself. Those of another host do not count; an empty `host`
/// stands for any. Without `now` what was seen is believed however old it is.
[[nodiscard]] std::string host_unfit(const store::Store& store, const std::string& host, std::int64_t now);

}  // namespace tandem::daemon
