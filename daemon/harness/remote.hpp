#pragma once

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "daemon/harness/remote_request.hpp"
#include "daemon/records/run_record.hpp"

namespace tandem::daemon::harness {

/// A new random number from 0 to 1 at each call.
[[nodiscard]] double chance();

/// This process's clock, chance and standard output, which tests replace.
struct ReporterSurroundings {
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
  std::function<double()> chance = harness::chance;
  std::FILE* screen = stdout;
  std::chrono::milliseconds connect_time_out = std::chrono::seconds(10);
  std::chrono::milliseconds time_out = std::chrono::seconds(60);
  std::size_t most_waiting = 10'000;  ///< results in the spool
};

/// A directory of texts that wait to be sent, one file each: TIME-ID.json. A text is in it completely or not
/// at all, through crashes and power cuts. Any number of processes may add. Throws Error.
class Spool {
 public:
  /// Does not make the directory yet. At most `limit` texts wait.
  Spool(std::filesystem::path directory, std::size_t limit);

  /// A text of the same time and id replaces the one before. A full spool refuses new texts, because the
  /// older ones were promised first.
  void add(std::chrono::system_clock::time_point time, const std::string& id, const std::string& text) const;

  /// Oldest first.
  [[nodiscard]] std::vector<std::filesystem::path> waiting() const;

  /// Nothing if it cannot be read.
  [[nodiscard]] static std::optional<std::string> read(const std::filesystem::path& file);
  void remove(const std::filesystem::path& file) const;

  /// Renames the file to its name and `reason` (".bad"), so that it is not sent; renamed back, it is sent
  /// again. The newest 1000 of these are kept.
  void put_aside(const std::filesystem::path& file, const std::string& reason) const;

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  std::filesystem::path directory_;
  std::size_t limit_;
};

/// Sends runs to a server (REMOTE.md). A run is written to the spool first and leaves it when the server has
/// it, so that it is sent at least once; servers keep a log once by its id.
class Remote {
 public:
  /// Results wait in a directory of `spool` that belongs to this address alone.
  Remote(Address address, std::string token, const std::filesystem::path& spool,
         ReporterSurroundings surroundings);

  /// Throws Error if it cannot be kept.
  void add(const RunRecord& record) const;
  /// As Reporters::deliver says. Threads may call it beside `add`; of several callers with one spool, in any
  /// process, one sends.
  [[nodiscard]] std::optional<std::string> deliver(const std::stop_token& stop);
  [[nodiscard]] std::size_t waiting() const { return spool_.waiting().size(); }

 private:
  enum class Sent { done, failed, stopped };
  [[nodiscard]] Sent send(const std::filesystem::path& file, const std::stop_token& stop, std::string& said);
  [[nodiscard]] std::vector<std::filesystem::path> in_turn() const;
  void back_off();

  Address address_;
  std::string token_;
  ReporterSurroundings surroundings_;
  Spool spool_;
  std::mutex sending_;
  std::size_t failures_ = 0;
  std::chrono::steady_clock::time_point not_before_;
  std::filesystem::path
      failed_;  ///< the last that failed: others are sent first, in case the fault is its own
};

}  // namespace tandem::daemon::harness
