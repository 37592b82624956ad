#include "runners/process/call_filter.hpp"

#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {
namespace {

constexpr std::array refused = {
    "add_key",     "bpf",           "delete_module", "finit_module",    "fsconfig", "fsmount",
    "fsopen",      "fspick",        "init_module",   "kexec_file_load", "keyctl",   "kexec_load",
    "mount",       "mount_setattr", "move_mount",    "open_tree",       "setns",    "pivot_root",
    "request_key", "umount",        "umount2",       "userfaultfd"};
constexpr std::array tracing_calls = {"process_vm_readv", "process_vm_writev", "ptrace"};

bool kernel_has_filters() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/// A call that this version of the library does not know is left out; the others still hold.
bool refuse(scmp_filter_ctx filter, const char* name) {
  const int call = seccomp_syscall_resolve_name(name);
  return call == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
}

bool refuse_user_namespaces(scmp_filter_ctx filter, int call, unsigned argument) {
  const scmp_arg_cmp wants_one = {argument, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER};
  return seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), call, 1, &wants_one) == 0;
}

/// A processor that runs programs of another width has their numbers for the calls as well.
bool add_other_widths(scmp_filter_ctx filter) {
  const auto add = [&](std::uint32_t architecture) {
    const int result = seccomp_arch_add(filter, architecture);
    return result == 0 || result == -EEXIST;
  };
  switch (seccomp_arch_native()) {
    case SCMP_ARCH_X86_64:
      return add(SCMP_ARCH_X86) && add(SCMP_ARCH_X32);
    case SCMP_ARCH_AARCH64:
      return add(SCMP_ARCH_ARM);
    default:
      return true;
  }
}

bool add_rules(scmp_filter_ctx filter, Tracing tracing) {
  if (seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)) != 0) return false;
  if (!add_other_widths(filter)) return false;
  for (const char* name : refused) {
    if (!refuse(filter, name)) return false;
  }
  if (tracing == Tracing::refused) {
    for (const char* name : tracing_calls) {
      if (!refuse(filter, name)) return false;
    }
  }
#if defined(__s390__) || defined(__s390x__)
  constexpr unsigned flags_of_clone = 1;
#else
  constexpr unsigned flags_of_clone = 0;
#endif
  if (!refuse_user_namespaces(filter, SCMP_SYS(clone), flags_of_clone)) return false;
  if (!refuse_user_namespaces(filter, SCMP_SYS(unshare), 0)) return false;
  return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
}

std::string make_filter(Tracing tracing) {
  if (!kernel_has_filters()) return {};
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                &seccomp_release);
  const OwnedDescriptor file(::memfd_create("tandem-filter", MFD_CLOEXEC));
  if (!filter || file.get() < 0 || !add_rules(filter.get(), tracing)) return {};
  if (seccomp_export_bpf(filter.get(), file.get()) != 0) return {};
  std::string program;
  std::array<char, 4096> piece{};
  ::lseek(file.get(), 0, SEEK_SET);
  for (ssize_t n = 0; (n = ::read(file.get(), piece.data(), piece.size())) > 0;)
    program.append(piece.data(), static_cast<std::size_t>(n));
  return program;
}

}  // namespace

const std::string& call_filter(Tracing tracing) {
  static const std::string with_tracing = make_filter(Tracing::allowed);
  static const std::string without_tracing = make_filter(Tracing::refused);
  return tracing == Tracing::allowed ? with_tracing : without_tracing;
}

}  // namespace tandem::runners
