#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {

/// A control group (cgroup v2) for one child and everything it starts: the kernel keeps its limits at every
/// moment, and nobody has to look.
///
/// There is one only where the group of this process was delegated to it (`Delegate=yes` of systemd, seen by
/// the attribute that it sets) with the controllers for memory and processes. The process itself is moved
/// into a group below then, because the kernel limits only groups whose parent holds no process.
class ControlGroup {
 public:
  struct Limits {
    std::uint64_t memory_bytes = 0;  ///< 0: none
    std::uint64_t tasks = 0;         ///< processes and threads; 0: none
  };
  /// Which limit was met: the kernel killed for want of memory, or refused a new process.
  enum class Met { none, memory, tasks };

  /// Nothing where no group can be had.
  [[nodiscard]] static std::unique_ptr<ControlGroup> make(const Limits& limits);
  /// Kills what is still inside.
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// A process that writes "0" here comes in, and what it starts is born inside.
  [[nodiscard]] int door() const { return door_.get(); }
  [[nodiscard]] Met met() const;

 private:
  explicit ControlGroup(std::filesystem::path directory) : directory_(std::move(directory)) {}

  std::filesystem::path directory_;
  OwnedDescriptor door_;
};

}  // namespace tandem::runners
