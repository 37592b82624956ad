#include "builders/hg/mirror.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>

#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
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

bool is_installed() {
  return find_on_path("hg", search_path()).has_value();
}

runners::Finished run(const Call& call, const std::stop_token& stop) {
  const auto program = find_on_path("hg", search_path());
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
  return text.size() == 40 && is_lower_hex(text);
}

namespace {

/// A command of ours inside hg: one process tells all.
constexpr std::string_view names_command = R"py(from mercurial import hg, registrar

cmdtable = {}
command = registrar.command(cmdtable)


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

}  // namespace

std::optional<std::vector<std::string>> names_of(const std::string& source, Call call,
                                                 const std::stop_token& stop) {
  const fs::path file = call.directory / "names.py";
  write_by_rename(file, std::string(names_command));
  call.arguments = {"--config", "extensions.tandem=" + file.string(), "tandem-names", source};
  const runners::Finished listed = run(call, stop);
  if (!listed.succeeded()) return std::nullopt;
  std::istringstream lines(listed.output);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) names.push_back(printable(line, 200));
  return names;
}

}  // namespace tandem::builders::hg
