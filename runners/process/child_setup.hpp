#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runners/process/bubblewrap.hpp"
#include "runners/process/command.hpp"
#include "runners/process/control_group.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {

/// How much a child may still say, and the log that keeps all of it as it comes.
class ChildOutput {
 public:
  /// Throws `Error` if the log cannot be opened; an empty path is no log.
  ChildOutput(std::size_t most_bytes, const std::filesystem::path& log_file);

  /// Appends to `text` what may still be said. False when it was more than that.
  [[nodiscard]] bool take(std::string_view bytes, std::string& text);
  void close_log() { log_ = OwnedDescriptor(); }

 private:
  std::size_t left_;
  OwnedDescriptor log_;
};

/// Cuts a stream into lines. A line without end is handed over in pieces, so that it cannot fill the memory.
class LineCutter {
 public:
  [[nodiscard]] std::vector<std::string> take(std::string_view bytes);

 private:
  std::string rest_;
};

/// Everything that is laid out before a child is started, and what happens in it between fork and exec.
class ChildSetup {
 public:
  /// Two connected ends, ours without blocking.
  struct Ends {
    OwnedDescriptor ours;
    OwnedDescriptor theirs;
  };

  /// Throws `Error` when there are no descriptors left or a mount of the sandbox is impossible.
  ChildSetup(const Command& command, const ChildOptions& options);

  [[nodiscard]] const Command& command() const { return confined_.command; }  ///< as it is really started
  [[nodiscard]] std::vector<std::string> arguments() const;                   ///< without the program
  [[nodiscard]] const char* const* environment() const { return environment_.data(); }
  [[nodiscard]] std::vector<int> inherited() const;

  /// In the child, async-signal-safe calls only: own process group, dies with the parent, no other
  /// descriptors, no core file. Returns 0 or errno.
  [[nodiscard]] int prepare() const;

  Ends output;
  Ends errors;
  Ends channel;                         ///< only if asked for
  Ends report;                          ///< only of a sandboxed child: what the shim says of its end
  std::unique_ptr<ControlGroup> group;  ///< only of a sandboxed child, where one can be had

 private:
  [[nodiscard]] int drop_rights() const;

  Confined confined_;
  bool sandboxed_;
  bool foreign_;                     ///< without a sandbox
  std::optional<SandboxUser> user_;  ///< of a foreign child; nothing: the caller's
  rlim_t most_tasks_ = 0;            ///< 0: no limit
  rlim_t most_file_bytes_ = 0;       ///< the same
  const std::string* filter_ = nullptr;
  OwnedDescriptor null_;
  std::array<OwnedDescriptor, 4> high_;
  std::array<std::pair<int, int>, 7> descriptors_;  ///< source, target; source -1: none
  cpu_set_t cpus_{};
  std::string directory_;
  std::vector<const char*> environment_;
  pid_t parent_;
};

}  // namespace tandem::runners
