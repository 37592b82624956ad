#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace tandem::runners {

/// What the shim is told: this record, the seccomp program, then strings that each end in NUL: the working
/// directory, the arguments, the environment and the writable directories. It comes as a file and not as
/// arguments because arguments can be read by every user of the host, and because bubblewrap itself must not
/// run under the child's environment (LD_PRELOAD and its kin would be obeyed outside the sandbox).
struct Orders {
  static constexpr std::uint64_t magic_value = 0x3274'6965'686d'6174;  // changes with every change below
  static constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
  static constexpr int channel_descriptor = 210;
  static constexpr int page_descriptor = 211;
  static constexpr int report_descriptor = 212;
  static constexpr int orders_descriptor = 213;
  static constexpr int cpu_words = 16;

  std::uint64_t magic = magic_value;
  std::uint64_t memory_bytes = 0;  ///< limits; 0: none
  std::uint64_t disk_bytes = 0;
  std::uint64_t processes = 0;
  std::uint64_t look_every_ms = 0;  ///< 0: never
  std::uint32_t arguments = 0;      ///< how many strings of each kind follow
  std::uint32_t variables = 0;
  std::uint32_t writable = 0;
  std::uint32_t switches_user = 0;  ///< 1: the child runs as this user and group
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t filter_bytes = 0;  ///< of the seccomp program; 0: there is none
  std::uint32_t moves_shim = 0;    ///< 1: the shim runs on `shim_cpus`, the child where it was started
  std::uint64_t most_tasks = 0;    ///< of the child's user, threads too; 0: no limit
  std::uint64_t shim_cpus[cpu_words] = {};  ///< one bit each
};

/// Puts a seccomp program (call_filter.hpp) in force for this process and its children; false and errno if
/// the kernel refuses. Without "spec allow" older kernels slow such a process down. Async-signal-safe.
inline bool filter_calls(const void* program, std::size_t bytes) {
  sock_fprog filter{static_cast<unsigned short>(bytes / sizeof(sock_filter)),
                    static_cast<sock_filter*>(const_cast<void*>(program))};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &filter) == 0;
}

// The answer, on `report_descriptor`, is two lines: "started" before anything of the child runs, so that no
// child can make its end look like a sandbox that was never there; and when it has ended
//   HOW CODE WALL_NS USER_US SYSTEM_US PEAK_KIB VOLUNTARY INVOLUNTARY LEFT_BEHIND
// where HOW is exited, signalled, over_memory, over_disk, over_processes or not_started.

}  // namespace tandem::runners
