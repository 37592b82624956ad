#include "builders/hg_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "builders/printable.hpp"
#include "runners/descriptor.hpp"
#include "specs/error.hpp"

namespace tandem::builders::hg {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_reason = 500;

/// What hg and the ssh below it need of the caller; everything else could load code or change the output.
constexpr std::array passed_on{"PATH",        "SSH_AUTH_SOCK", "TMPDIR",        "http_proxy",
                               "https_proxy", "HTTP_PROXY",    "HTTPS_PROXY",   "no_proxy",
                               "NO_PROXY",    "all_proxy",     "SSL_CERT_FILE", "SSL_CERT_DIR"};

bool is_passed_on(const std::string& variable) {
  const std::string name = variable.substr(0, variable.find('='));
  return std::find(passed_on.begin(), passed_on.end(), name) != passed_on.end();
}

std::vector<std::string> environment_of(const Call& call) {
  std::vector<std::string> environment = runners::current_environment();
  std::erase_if(environment, [](const std::string& variable) { return !is_passed_on(variable); });
  for (const char* own : {"HGPLAIN=1", "HGRCSKIPREPO=1", "HGENCODING=UTF-8", "HGEDITOR=false",
                          "LC_ALL=C.UTF-8", "TZ=UTC", "PYTHONNOUSERSITE=1", "PYTHONDONTWRITEBYTECODE=1"}) {
    environment.emplace_back(own);
  }
  // Set but empty, it means that there are no files of settings at all.
  environment.push_back("HGRCPATH=" + call.configuration.string());
  return environment;
}

/// The last line of `text` that begins so, without its beginning.
std::string last_line(const std::string& text, std::string_view beginning) {
  std::istringstream lines(text);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(beginning) && line.size() > beginning.size()) found = line.substr(beginning.size());
  }
  return found;
}

}  // namespace

std::optional<fs::path> find_program() {
  const char* path = ::getenv("PATH");
  std::istringstream directories(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string directory; std::getline(directories, directory, ':');) {
    const fs::path program = fs::path(directory) / "hg";
    if (program.is_absolute() && ::access(program.c_str(), X_OK) == 0) return program;
  }
  return std::nullopt;
}

runners::Finished run(const Call& call, const std::stop_token& stop) {
  const auto program = find_program();
  if (!program) {
    runners::Finished missing;
    missing.code = ENOENT;
    missing.errors = not_installed;
    return missing;
  }
  runners::Command command;
  command.argv = {*program, "--config", "ui.interactive=false", "--config", "ui.timeout=60"};
  command.argv.insert(command.argv.end(), call.arguments.begin(), call.arguments.end());
  command.environment = environment_of(call);
  command.working_directory = call.directory;
  runners::Limits limits;
  limits.deadline = call.deadline;
  limits.output_bytes = call.output_bytes;
  return run_command(command, limits, stop);
}

std::string run_or_throw(const Call& call, const std::string& doing) {
  runners::Finished finished = run(call);
  if (!finished.succeeded()) throw Error(fmt::format("cannot {}: {}", doing, reason(finished)));
  return std::move(finished.output);
}

std::string reason(const runners::Finished& finished) {
  if (finished.how != runners::Finished::How::exited) {
    return finished.errors == not_installed ? not_installed : "hg " + describe(finished);
  }
  std::string words = last_line(finished.errors, "abort: ");
  if (words.empty()) words = last_line(finished.errors, "");
  if (words.empty()) words = "hg " + describe(finished);
  // What ssh says comes in lines of its own, in either stream.
  std::string remote = last_line(finished.errors, "remote: ");
  if (remote.empty()) remote = last_line(finished.output, "remote: ");
  if (!remote.empty() && words.find(remote) == std::string::npos) words += fmt::format(" ({})", remote);
  return printable(words, longest_reason);
}

bool is_node(std::string_view text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

fs::path our_folder(const fs::path& mirror) {
  return mirror / ".hg" / "tandem";
}

void replace_file(const fs::path& file, std::string_view content) {
  const auto fail = [&] {
    throw Error(fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
  };
  std::string beside = file.string() + ".XXXXXX";
  const runners::OwnedDescriptor descriptor(::mkostemp(beside.data(), O_CLOEXEC));
  if (descriptor.get() < 0) fail();
  for (std::string_view left = content; !left.empty();) {
    const ssize_t written = ::write(descriptor.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int code = errno;
      ::unlink(beside.c_str());
      errno = code;
      fail();
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(descriptor.get()) != 0 || ::rename(beside.c_str(), file.c_str()) != 0) fail();
}

}  // namespace tandem::builders::hg
