#include "builders/build_attempt.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "builders/build_failure.hpp"
#include "builders/layout/link_capture.hpp"
#include "builders/repository.hpp"
#include "builders/work_directory.hpp"
#include "runners/process/process.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using BuildFailureKind = BuildFailure::Kind;
using runners::Finished;

constexpr std::size_t most_output = std::size_t{64} << 20;

/// A script does not say why its compiler failed; a file system without room does.
bool is_disk_full(const fs::path& place) {
  constexpr std::uint64_t room = std::uint64_t{16} << 20;
  struct statvfs status {};
  return ::statvfs(place.c_str(), &status) == 0 && std::uint64_t{status.f_bavail} * status.f_frsize < room;
}

BuildFailureKind kind_of_checkout(CheckoutFailure::Kind kind) {
  if (kind == CheckoutFailure::Kind::stopped) return BuildFailureKind::stopped;
  return kind == CheckoutFailure::Kind::disk ? BuildFailureKind::disk : BuildFailureKind::checkout;
}

/// A mirror that is damaged again right after it was made anew has a damaged source: then it is the commit's.
bool was_damaged_lately(const fs::path& mirror) {
  std::error_code error;
  const auto then = fs::last_write_time(mirror.string() + ".damaged", error);
  return !error && fs::file_time_type::clock::now() - then < std::chrono::hours{24};
}

/// Of scripts that did not end by themselves.
constexpr std::pair<Finished::How, BuildFailureKind> kinds_of_ends[] = {
    {Finished::How::stopped, BuildFailureKind::stopped},
    {Finished::How::timed_out, BuildFailureKind::timed_out},
    {Finished::How::flooded, BuildFailureKind::output},
    {Finished::How::over_memory, BuildFailureKind::memory},
    {Finished::How::over_disk, BuildFailureKind::disk_limit},
    {Finished::How::over_processes, BuildFailureKind::processes},
    {Finished::How::no_sandbox, BuildFailureKind::sandbox},
    {Finished::How::not_started, BuildFailureKind::script_missing}};

}  // namespace

BuildAttempt::BuildAttempt(const BuildSettings& settings, const BuildOrder& order, unsigned jobs)
    : settings_(settings),
      order_(order),
      jobs_(jobs),
      slot_(settings.state_dir),
      log_(build_log(settings.state_dir, order.commit.id, settings.platform)),
      directories_(prepare_directories(settings, slot_.path(), order.script)),
      program_(fs::path(settings.framework).filename().string() + "_benchmark") {
  fs::create_directories(log_.parent_path());
  write_user_sources(order.sources, directories_.sources.host);
}

std::variant<BuildAttempt::Built, BuildFailure> BuildAttempt::run(const std::stop_token& stop) {
  if (auto failure = fill_tree(stop)) return *failure;
  if (settings_.linker.empty()) {
    if (auto failure = run_script({}, stop)) return *failure;
    if (auto failure = check_program()) return *failure;
    return Built{directories_.out.host, program_, {{}, "links are not captured"}};
  }
  const LinkCapture capture(directories_.linker.seen, settings_.lld, directories_.links.host,
                            directories_.links.seen);
  if (auto failure = run_script(capture.environment(), stop)) return *failure;
  if (auto failure = check_program()) return *failure;
  LinkCapture::Kept kept = capture.collect(directories_.out.host);
  return Built{directories_.out.host, program_, {std::move(kept.links), std::move(kept.unresolved)}};
}

std::optional<BuildFailure> BuildAttempt::fill_tree(const std::stop_token& stop) const {
  const auto failure =
      open_repository(settings_.mirror)->checkout(order_.commit, directories_.tree.host, stop);
  if (failure && failure->kind == CheckoutFailure::Kind::corrupt && !was_damaged_lately(settings_.mirror)) {
    set_mirror_aside(settings_.mirror);
    return failed(BuildFailureKind::mirror,
                  failure->sentence + "; the mirror was put aside and is fetched anew");
  }
  if (failure) return failed(kind_of_checkout(failure->kind), failure->sentence);
  if (settings_.git == BuildSettings::Git::provided) {
    provide_git(settings_.mirror, order_.commit, directories_.tree.host);
  }
  return std::nullopt;
}

std::optional<BuildFailure> BuildAttempt::run_script(std::vector<std::string> more_environment,
                                                     const std::stop_token& stop) {
  runners::Command command;
  command.argv = start_of(order_.script);
  command.argv.back() =
      directories_.framework.seen / order_.script.script.lexically_relative(order_.script.framework_folder);
  command.argv.push_back(directories_.tree.seen);
  command.argv.push_back(directories_.out.seen / program_);
  command.environment = environment_of(settings_, directories_, order_.commit, jobs_);
  if (settings_.section) {
    for (std::string& variable : variables_of(*settings_.section, directories_.sources.seen)) {
      command.environment.push_back(std::move(variable));
    }
  }
  for (std::string& variable : more_environment) command.environment.push_back(std::move(variable));
  command.working_directory = directories_.tree.seen;
  command.cpus = settings_.cpus;
  command.log_file = log_;
  command.sandbox = sandbox_of(settings_, directories_);
  command.foreign = settings_.foreign;
  command.foreign_limits = {settings_.memory_bytes, settings_.disk_bytes, settings_.processes};
  runners::Limits limits;
  limits.deadline = settings_.deadline;
  limits.output_bytes = most_output;
  const Finished finished = run_noted(slot_.path(), command, limits, stop);
  if (finished.how == Finished::How::exited) exit_status_ = finished.code;
  if (finished.succeeded()) return std::nullopt;

  const std::string why = fmt::format("{} {}", order_.script.script.string(), describe(finished));
  for (const auto& [how, kind] : kinds_of_ends) {
    if (finished.how == how) return failed(kind, why);
  }
  // The disk is looked at first: on a full disk even a right source ends like a wrong one.
  BuildFailure failure =
      failed(is_disk_full(slot_.path()) ? BuildFailureKind::disk : BuildFailureKind::source, why);
  if (failure.kind == BuildFailureKind::source && tells_of_memory(failure.last_lines))
    failure.kind = BuildFailureKind::memory;
  return failure;
}

std::optional<BuildFailure> BuildAttempt::check_program() const {
  const fs::path program = directories_.out.host / program_;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(program, error);
  const std::string script = order_.script.script.string();
  if (!fs::exists(status)) {
    return failed(BuildFailureKind::not_a_program,
                  script + " ended well but left no program where its second argument said");
  }
  if (!fs::is_regular_file(status) || ::access(program.c_str(), X_OK) != 0 || fs::file_size(program) == 0) {
    return failed(BuildFailureKind::not_a_program, script + " left something that is not an executable file");
  }
  return std::nullopt;
}

BuildFailure BuildAttempt::failed(BuildFailureKind kind, const std::string& why) const {
  BuildFailure failure;
  failure.commit = order_.commit.id;
  failure.kind = kind;
  failure.exit_status = exit_status_;
  failure.sentence =
      fmt::format("commit {:.12} was not built for {}: {}", order_.commit.id, settings_.platform, why);
  std::error_code ignored;
  if (fs::exists(log_, ignored)) {
    failure.log = log_;
    failure.last_lines = last_lines(log_);
  }
  return failure;
}

}  // namespace tandem::builders
