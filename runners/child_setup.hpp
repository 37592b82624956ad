#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runners/confine.hpp"
#include "runners/control_group.hpp"
#include "runners/descriptor.hpp"
#include "runners/process.hpp"

namespace tandem::runners {

/// Everything that is laid out before a child is started, and what happens in it between fork and exec.
class ChildSetup {
 public:
  /// Two connected ends, ours without blocking.
  struct Ends {
    OwnedDescriptor ours;
    OwnedDescriptor theirs;
  };

  /// Throws `Error` when there are no descriptors left or a mount of the sandbox is impossible.
  ChildSetup(const Command& command, const Children::Options& options);

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
