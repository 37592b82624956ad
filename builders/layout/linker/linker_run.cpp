#include "builders/layout/linker/linker_run.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  if (::lseek(descriptor, 0, SEEK_SET) != 0) return text;
  while (true) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

}  // namespace

LinkerRun run_linker(const fs::path& program, const std::vector<std::string>& arguments) {
  // Into memory and not into pipes: nothing has to be read while the linker runs.
  const OwnedDescriptor output(::memfd_create("stdout", MFD_CLOEXEC));
  const OwnedDescriptor errors(::memfd_create("stderr", MFD_CLOEXEC));
  if (output.get() < 0 || errors.get() < 0) fail("cannot keep a linker's output");
  // lld decides by this name which of its linkers it is.
  std::string name = program.filename().string();
  if (name.find("lld") != std::string::npos) name = "ld.lld";
  std::vector<char*> argv = {name.data()};
  std::vector<std::string> words = arguments;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("cannot start a linker");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(errors.get(), STDERR_FILENO);
    ::execv(program.c_str(), argv.data());
    write_all(STDERR_FILENO, "tandem-ld: error: cannot run ");
    write_all(STDERR_FILENO, program.native());
    write_all(STDERR_FILENO, "\n");
    ::_exit(127);
  }
  LinkerRun run;
  while (::waitpid(child, &run.wait_status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for a linker");
  }
  run.output = all_of(output.get());
  run.errors = all_of(errors.get());
  return run;
}

fs::path find_linker(const std::string& name) {
  struct stat self {};
  if (::stat("/proc/self/exe", &self) != 0) fail("cannot find the wrapper's own file");
  const char* path = std::getenv("PATH");
  std::string_view places = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (true) {
    const std::string_view place = places.substr(0, places.find(':'));
    const fs::path candidate = fs::path(place) / name;
    struct stat status {};
    const bool usable = candidate.is_absolute() && ::stat(candidate.c_str(), &status) == 0 &&
                        S_ISREG(status.st_mode) && ::access(candidate.c_str(), X_OK) == 0;
    if (usable && (status.st_dev != self.st_dev || status.st_ino != self.st_ino)) return candidate;
    if (place.size() == places.size()) return {};
    places.remove_prefix(place.size() + 1);
  }
}

std::string first_error(const std::string& errors) {
  constexpr std::string_view mark = "error: ";
  std::size_t at = errors.find(mark);
  at = at == std::string::npos ? 0 : at + mark.size();
  std::string line = errors.substr(at, errors.find('\n', at) - at);
  return line.empty() ? "it ended without a word" : line;
}

void end_like(const LinkerRun& run) {
  write_all(STDOUT_FILENO, run.output);
  write_all(STDERR_FILENO, run.errors);
  if (WIFSIGNALED(run.wait_status)) {
    ::signal(WTERMSIG(run.wait_status), SIG_DFL);
    ::raise(WTERMSIG(run.wait_status));
  }
  ::_exit(WIFEXITED(run.wait_status) ? WEXITSTATUS(run.wait_status) : 1);
}

}  // namespace tandem::builders
