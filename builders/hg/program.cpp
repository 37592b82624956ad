#include "builders/hg/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

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
  const OwnedDescriptor descriptor(::mkostemp(beside.data(), O_CLOEXEC));
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

namespace {

namespace fs = std::filesystem;

/// It only hands out what is stored. Nothing is believed because of it: hg_manifest.cpp computes every id
/// anew.
constexpr std::string_view commands = R"py(from mercurial import hg, registrar
from mercurial.node import hex

cmdtable = {}
command = registrar.command(cmdtable)


def block(ui, parents, data):
    ui.write(b'%s %s %d\n' % (hex(parents[0]), hex(parents[1]), len(data)))
    ui.write(data)
    ui.write(b'\n')


@command(b'tandem-witness', [], b'COMMIT')
def witness(ui, repo, commit):
    repo = repo.unfiltered()
    node = bytes.fromhex(commit.decode('ascii'))
    changes = repo.changelog
    block(ui, changes.parents(node), changes.rawdata(node))
    manifest = changes.read(node)[0]
    manifests = repo.manifestlog.getstorage(b'')
    block(ui, manifests.parents(manifest), manifests.rawdata(manifest))
    for path, version, flags in repo.manifestlog[manifest].read().iterentries():
        versions = repo.file(path)
        data = versions.rawdata(version)
        # Where a file was copied from stands before its content and belongs to its id.
        end = data.find(b'\x01\n', 2) + 2 if data.startswith(b'\x01\n') else 0
        block(ui, versions.parents(version), data[:end])


@command(b'tandem-names', [], b'SOURCE', norepo=True)
def names(ui, source):
    peer = hg.peer(ui, {}, ui.config(b'paths', source) or source)
    try:
        with peer.commandexecutor() as executor:
            branches = executor.callcommand(b'branchmap', {}).result()
        with peer.commandexecutor() as executor:
            bookmarks = executor.callcommand(b'listkeys', {b'namespace': b'bookmarks'}).result()
        for name in sorted(set(branches) | set(bookmarks)):
            ui.write(b'%s\n' % name)
    finally:
        peer.close()
)py";

std::string text_of_commands(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string with_our_commands(const fs::path& directory) {
  const fs::path file = directory / "commands.py";
  if (text_of_commands(file) != commands) {
    fs::create_directories(directory);
    replace_file(file, commands);
  }
  return "extensions.tandem=" + fs::absolute(file).string();
}

}  // namespace tandem::builders::hg
