#include "daemon/service/isolation.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "runners/process/call_filter.hpp"
#include "runners/process/control_group.hpp"
#include "runners/process/process.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon {
namespace {

using runners::Foreign;
using runners::IsolationFacts;
using runners::SandboxTools;
using Kind = IsolationFacts::Kind;

/// What the words after the kind of isolation say of its system calls.
const char* filter_words(const IsolationFacts& facts) {
  return facts.call_filter ? ", system calls filtered" : ", system calls not filtered: this kernel cannot";
}

/// A state directory that is still to be made will be as open as what it lies in.
std::filesystem::path what_exists_of(std::filesystem::path directory) {
  std::error_code error;
  while (!std::filesystem::exists(directory, error) && directory.has_relative_path())
    directory = directory.parent_path();
  return directory;
}

/// What is made from now on has its rights from the umask, the state directory of a first start included.
bool is_closed_by_umask() {
  const mode_t mask = ::umask(022);
  ::umask(mask);
  return (mask & (S_IROTH | S_IXOTH)) != 0;
}

/// `why` says what is wrong with the sandbox.
Isolation without_sandbox(const std::string& why, const std::filesystem::path& state_dir) {
  Isolation isolation;
  isolation.foreign = Foreign::yes;
  isolation.facts = {Kind::same_user, !runners::call_filter(runners::Tracing::refused).empty()};
  const char* user = "this user";
  if (::geteuid() == 0) {
    auto complaint = runners::complain_of_other_user(what_exists_of(state_dir));
    if (!complaint && is_closed_by_umask()) {
      complaint = fmt::format("no other user can enter what is made in {}; start it with a umask of 022",
                              state_dir.string());
    }
    if (complaint) {
      throw Error(fmt::format(
          "as root, code that has no sandbox is run as another user, and that cannot be done either: {}; {}",
          *complaint, why));
    }
    isolation.facts.kind = Kind::other_user;
    user = "another user";
  }
  constexpr std::uint64_t any = std::uint64_t{1} << 40;
  const bool limits = runners::ControlGroup::make({any, 0}) != nullptr;
  isolation.sentence =
      fmt::format("weak: as {}, own process groups, {}, no sandbox{} ({})", user,
                  limits ? "limited memory" : "no limit of memory (no control group is delegated to us)",
                  filter_words(isolation.facts), why);
  return isolation;
}

/// The programs of a launch share what one build may take of the memory.
constexpr std::uint64_t sides = 2;

std::optional<runners::Sandbox> benchmark_sandbox(const Isolation& isolation,
                                                  const config::Settings& settings) {
  if (!isolation.tools) return std::nullopt;
  runners::Sandbox sandbox;
  sandbox.tools = *isolation.tools;
  sandbox.memory_bytes = settings.build_memory / sides;
  sandbox.disk_bytes = settings.build_disk;
  sandbox.processes = static_cast<std::size_t>(settings.build_processes);
  for (const std::filesystem::path& path :
       std::set<std::filesystem::path>(settings.sandbox_read.begin(), settings.sandbox_read.end())) {
    if (std::error_code error; !std::filesystem::exists(path, error)) {
      throw InputError(fmt::format("sandbox_read names {}, which does not exist", path.string()));
    }
    sandbox.mounts.push_back({path, path, runners::Sandbox::Access::read});
  }
  return sandbox;
}

/// Of this process's environment only what says how programs find their libraries and use their threads.
std::vector<std::string> benchmark_environment() {
  constexpr std::array handed_on = {
      "PATH=", "LD_LIBRARY_PATH=", "LD_PRELOAD=", "OMP_", "GOMP_", "KMP_", "MKL_",
      "DNNL_", "MALLOC_",          "OPENBLAS_"};
  std::vector<std::string> environment = {"HOME=/tmp", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=UTC"};
  for (const std::string& variable : runners::current_environment()) {
    if (std::any_of(handed_on.begin(), handed_on.end(),
                    [&](const char* name) { return variable.starts_with(name); })) {
      environment.push_back(variable);
    }
  }
  return environment;
}

}  // namespace

std::variant<Isolation, std::string> try_sandbox(const std::filesystem::path& shim) {
  auto found = runners::find_sandbox(shim);
  if (auto* why = std::get_if<std::string>(&found)) return std::move(*why);
  Isolation isolation;
  isolation.tools = std::get<SandboxTools>(std::move(found));
  isolation.facts = {Kind::sandbox, !runners::call_filter(runners::Tracing::allowed).empty()};
  isolation.sentence =
      fmt::format("sandbox: read-only system, no network, own processes and temporary files{}",
                  filter_words(isolation.facts));
  return isolation;
}

Isolation choose_isolation(config::Isolation wish, const std::filesystem::path& shim,
                           const std::filesystem::path& state_dir) {
  if (wish == config::Isolation::none) {
    Isolation isolation;
    isolation.facts = {Kind::same_user, false};
    isolation.sentence = "weak: own process groups, limits of time and output, no sandbox (none is wanted)";
    return isolation;
  }
  auto tried = try_sandbox(shim);
  if (auto* isolation = std::get_if<Isolation>(&tried)) return std::move(*isolation);
  const std::string& why = std::get<std::string>(tried);
  if (wish == config::Isolation::required) {
    throw Error(fmt::format("a sandbox is required and cannot be made: {}", why));
  }
  return without_sandbox(why, state_dir);
}

void isolate_benchmarks(const Isolation& isolation, const config::Settings& settings,
                        runners::HostSettings& host) {
  host.sandbox = benchmark_sandbox(isolation, settings);
  host.foreign = isolation.foreign;
  host.foreign_limits = {settings.build_memory / sides, settings.build_disk,
                         static_cast<std::size_t>(settings.build_processes)};
  if (isolation.tools || isolation.foreign == Foreign::yes) host.environment = benchmark_environment();
}

}  // namespace tandem::daemon
