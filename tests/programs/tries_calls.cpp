// Tries system calls that foreign code has no use for and says of each how it ended, one word each: "0", or
// the name of the error. Then it does what honest programs do: threads, children, and tracing a child.
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

namespace {

void tell(const char* name, long result) {
  std::printf("%s %s\n", name, result >= 0 ? "0" : strerrorname_np(errno));
}

long trace_a_child() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const long result = ::ptrace(PTRACE_SEIZE, child, nullptr, nullptr);
  const int error = errno;
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  errno = error;
  return result;
}

long in_a_child(long (*call)()) {
  int result[2];
  if (::pipe(result) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    const int error = call() >= 0 ? 0 : errno;
    ::_exit(::write(result[1], &error, sizeof error) == sizeof error ? 0 : 1);
  }
  int error = 0;
  ::close(result[1]);
  if (::read(result[0], &error, sizeof error) != sizeof error) error = EPIPE;
  ::close(result[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  errno = error;
  return error == 0 ? 0 : -1;
}

}  // namespace

int main() {
  tell("keyctl", ::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0));
  tell("add_key", ::syscall(SYS_add_key, "user", "tandem", "x", 1, KEY_SPEC_PROCESS_KEYRING));
  tell("request_key", ::syscall(SYS_request_key, "user", "tandem", nullptr, KEY_SPEC_PROCESS_KEYRING));
  tell("bpf", ::syscall(SYS_bpf, 0, nullptr, 0));
  tell("kexec_load", ::syscall(SYS_kexec_load, 0, 0, nullptr, 0));
  tell("userfaultfd", ::syscall(SYS_userfaultfd, 1));
  tell("mount", ::mount("none", "/tmp", "tmpfs", 0, nullptr));
  tell("open_tree", ::syscall(SYS_open_tree, AT_FDCWD, "/", 0));
  tell("user_namespace", in_a_child([] { return static_cast<long>(::unshare(CLONE_NEWUSER)); }));
  tell("cloned_user_namespace", in_a_child([] {
         const long child = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0);
         if (child == 0) ::_exit(0);
         return child;
       }));
  tell("clone3", ::syscall(SYS_clone3, nullptr, 0));
  tell("trace", trace_a_child());
  std::thread([] { std::printf("thread 0\n"); }).join();
  tell("fork", in_a_child([] { return 0L; }));
  return 0;
}
