#pragma once

#include <string>

namespace tandem::runners {

/// Which processes a filtered child could trace. Inside a pid namespace of its own they are all its own, and
/// LeakSanitizer traces its own threads; elsewhere the caller itself is among them.
enum class Tracing { allowed, refused };

/// A seccomp program, as the kernel takes it (an array of sock_filter), that refuses the system calls which
/// foreign code has no use for and an attack does: keys, BPF, kexec, userfaultfd, kernel modules, mounts and
/// new user namespaces, with EPERM. clone3 gives ENOSYS, because its flags cannot be inspected and every C
/// library then uses clone. perf_event_open stays: instructions are counted by it.
///
/// Empty if this kernel has no filters. Made once; afterwards it is only read.
[[nodiscard]] const std::string& call_filter(Tracing tracing);

}  // namespace tandem::runners
