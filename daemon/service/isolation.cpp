// What stands between this host and foreign code: chosen at the start, and tried again where it failed.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/service/building.hpp"
#include "daemon/service/service.hpp"
#include "runners/process/call_filter.hpp"
#include "runners/process/control_group.hpp"
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

Isolation with_sandbox(SandboxTools tools) {
  Isolation isolation;
  isolation.tools = std::move(tools);
  isolation.facts = {Kind::sandbox, !runners::call_filter(runners::Tracing::allowed).empty()};
  isolation.sentence =
      fmt::format("sandbox: read-only system, no network, own processes and temporary files{}",
                  filter_words(isolation.facts));
  return isolation;
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

}  // namespace

Isolation choose_isolation(config::Isolation wish, const std::filesystem::path& shim,
                           const std::filesystem::path& state_dir) {
  if (wish == config::Isolation::none) {
    Isolation isolation;
    isolation.facts = {Kind::same_user, false};
    isolation.sentence = "weak: own process groups, limits of time and output, no sandbox (none is wanted)";
    return isolation;
  }
  auto found = runners::find_sandbox(shim);
  if (auto* tools = std::get_if<SandboxTools>(&found)) return with_sandbox(std::move(*tools));
  const std::string& why = std::get<std::string>(found);
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

void Service::isolate() {
  status_.isolation = isolation_.sentence;
  status_.isolation_facts = isolation_.facts;
  isolate_benchmarks(isolation_, settings_, host_);
}

void Service::try_isolation_again() {
  if (isolation_.tools || settings_.sandbox != config::Isolation::automatic) return;
  auto found = runners::find_sandbox(installation_.shim);
  auto* tools = std::get_if<SandboxTools>(&found);
  if (tools == nullptr) return;
  isolation_ = with_sandbox(std::move(*tools));
  isolate();
  host_runner_->use(host_);
  for (const auto& walk : walks_) walk->take_isolation();
  board_->show();
}

}  // namespace tandem::daemon
