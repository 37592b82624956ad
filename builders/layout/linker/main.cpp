// tandem-ld stands where a compiler looks for its linker, under the linkers' names. It links with lld, keeps
// what the link read in TANDEM_LINK_DIR, and leaves the link to the linker that was asked for where lld
// cannot do it. Seen from the compiler it is a linker: same arguments, same outputs, same exit status.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "builders/layout/linker/link_record.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// How a linker that was called ended, with what it wrote.
struct LinkerRun {
  int wait_status = 0;  ///< as waitpid gives it
  std::string output;
  std::string errors;

  [[nodiscard]] bool succeeded() const { return wait_status == 0; }
};

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

/// Runs a linker to its end with this process' environment and directory.
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

/// The first program of this name on PATH that is not this process' own file; empty if there is none.
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

/// The line that says why a linker failed, without the linker's name.
std::string first_error(const std::string& errors) {
  constexpr std::string_view mark = "error: ";
  std::size_t at = errors.find(mark);
  at = at == std::string::npos ? 0 : at + mark.size();
  std::string line = errors.substr(at, errors.find('\n', at) - at);
  return line.empty() ? "it ended without a word" : line;
}

/// Ends this process as a linker that ended so would have, after writing what it wrote.
[[noreturn]] void end_like(const LinkerRun& run) {
  write_all(STDOUT_FILENO, run.output);
  write_all(STDERR_FILENO, run.errors);
  if (WIFSIGNALED(run.wait_status)) {
    ::signal(WTERMSIG(run.wait_status), SIG_DFL);
    ::raise(WTERMSIG(run.wait_status));
  }
  ::_exit(WIFEXITED(run.wait_status) ? WEXITSTATUS(run.wait_status) : 1);
}

struct Call {
  fs::path lld;
  fs::path captures;  ///< where finished links are left; empty: nothing is
  std::string asked;
  Words arguments;
};

/// Different for each link of a build, and sorted by time.
std::string unique_name(const char* prefix) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  std::string time = std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  time.insert(0, 20 - std::min<std::size_t>(20, time.size()), '0');
  return prefix + time + "-" + std::to_string(::getpid());
}

/// Becomes the linker that was asked for.
[[noreturn]] void hand_over(const Call& call, const LinkerRun& otherwise) {
  const fs::path real = find_linker(call.asked);
  if (real.empty()) end_like(otherwise);
  Words words = call.arguments;
  std::vector<char*> argv;
  std::string name = call.asked;
  argv.push_back(name.data());
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(real.c_str(), argv.data());
  end_like(otherwise);
}

std::string why_lld_failed(const LinkArguments& link, const LinkerRun& run) {
  const auto& inputs = link.inputs;
  const bool gcc_lto =
      std::any_of(inputs.begin(), inputs.end(), [](const auto& file) { return needs_gcc_plugin(file); });
  return gcc_lto ? gcc_lto_reason : "lld: " + first_error(run.errors);
}

/// Leaves the record, and with it whatever else is in `part`, for the one who started the build. Not being
/// able to is no reason to fail a link.
void leave(const Call& call, const LinkArguments& link, const fs::path& part, LinkRecord record) {
  record.output = link.output;
  record.build_id = build_id_of(link.output);
  write_record(part / record_name, record);
  fs::rename(part, call.captures / unique_name(finished_prefix));
}

/// The link by the linker that was asked for, and a record of why.
LinkerRun link_without_lld(const Call& call, const LinkArguments& link, const fs::path& part,
                           const std::string& reason, LinkerRun otherwise) {
  const fs::path real = find_linker(call.asked);
  LinkerRun run = real.empty() ? std::move(otherwise) : run_linker(real, call.arguments);
  if (run.succeeded()) {
    fs::remove_all(part);
    fs::create_directory(part);
    LinkRecord record;
    record.reason = reason;
    leave(call, link, part, record);
  }
  return run;
}

LinkerRun link_and_capture(const Call& call, const LinkArguments& link, const fs::path& part) {
  const fs::path archive = part / "inputs.tar";
  Words words = call.arguments;
  words.push_back("--reproduce=" + archive.string());
  if (link.build_id == LinkArguments::BuildId::absent) words.emplace_back("--build-id=sha1");
  LinkerRun run = run_linker(call.lld, words);
  // A fault that passes must not choose another linker for one commit: the link fails, and so does the build.
  const bool passing =
      WIFSIGNALED(run.wait_status) || run.errors.find("No space left on device") != std::string::npos;
  if (passing) return run;
  if (!run.succeeded()) {
    const std::string reason = why_lld_failed(link, run);
    return link_without_lld(call, link, part, reason, std::move(run));
  }
  LinkRecord record;
  try {
    keep_inputs(archive, part, record);
    fs::remove(archive);
  } catch (const std::exception& error) {
    fs::remove_all(part);
    fs::create_directory(part);
    record = {};
    record.reason = std::string("its inputs could not be kept: ") + error.what();
  }
  // Only the plugin makes of such objects what their makers meant.
  if (record.reason == gcc_lto_reason) {
    return link_without_lld(call, link, part, record.reason, std::move(run));
  }
  try {
    leave(call, link, part, record);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tandem-ld: warning: the link is not captured: %s\n", error.what());
  }
  return run;
}

[[noreturn]] void link(const Call& call) {
  const LinkArguments asked = understand(call.arguments, fs::current_path());
  if (asked.what != LinkArguments::What::final_link || call.captures.empty()) {
    // The same two linkers in the same order as in a final link, so that a configure check learns what will
    // be true.
    const LinkerRun run = run_linker(call.lld, call.arguments);
    if (run.succeeded()) end_like(run);
    hand_over(call, run);
  }
  const fs::path part = call.captures / unique_name("part-");
  fs::create_directory(part);
  LinkerRun run;
  try {
    run = link_and_capture(call, asked, part);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(part, ignored);
    throw;
  }
  std::error_code ignored;
  fs::remove_all(part, ignored);
  end_like(run);
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace
}  // namespace tandem::builders

int main(int count, char** values) {
  using namespace tandem::builders;
  Call call;
  call.asked = fs::path(count > 0 ? values[0] : "ld").filename().string();
  if (!call.asked.starts_with("ld")) call.asked = "ld";
  for (int i = 1; i < count; ++i) call.arguments.emplace_back(values[i]);
  call.lld = variable("TANDEM_LINK_LLD");
  call.captures = variable("TANDEM_LINK_DIR");
  try {
    if (!call.lld.empty()) link(call);
  } catch (const std::exception& error) {
    // What the wrapper wanted beside the link went wrong; the link itself is still to be done.
    std::fprintf(stderr, "tandem-ld: warning: the link is not captured: %s\n", error.what());
  }
  hand_over(call, {0x0100, {}, "tandem-ld: error: there is no '" + call.asked + "' on the path\n"});
}
