#include "builders/builder.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "builders/build_script.hpp"
#include "builders/cache_key.hpp"
#include "builders/executable_cache.hpp"
#include "builders/hashes.hpp"
#include "builders/printable.hpp"
#include "builders/repository.hpp"
#include "builders/work_slot.hpp"
#include "runners/process.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using Kind = BuildFailure::Kind;
using runners::Finished;

constexpr std::size_t most_output = std::size_t{64} << 20;

bool is_full(const std::error_code& code) {
  return code == std::errc::no_space_on_device || code.value() == EDQUOT;
}

/// A script does not say why its compiler failed; a file system without room does.
bool is_full(const fs::path& place) {
  constexpr std::uint64_t room = std::uint64_t{16} << 20;
  struct statvfs status {};
  return ::statvfs(place.c_str(), &status) == 0 && std::uint64_t{status.f_bavail} * status.f_frsize < room;
}

std::string last_lines(const fs::path& log) {
  constexpr std::streamoff most_bytes = 8192;
  constexpr std::ptrdiff_t most_lines = 20;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(0, size - most_bytes));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\n')) text.pop_back();
  auto from = text.size();
  for (std::ptrdiff_t line = 0; line < most_lines && from != std::string::npos && from != 0; ++line) {
    from = text.rfind('\n', from - 1);
  }
  if (from != std::string::npos && from != 0) text.erase(0, from + 1);
  return printable(text, text.size() * 3, Lines::many);
}

std::string flat(std::string platform) {
  std::replace(platform.begin(), platform.end(), '/', '-');
  return platform;
}

/// One build from the checked-out tree to the published executable; the directories live as long as this.
class Attempt {
 public:
  Attempt(const BuildSettings& settings, const Commit& commit, const BuildScript& script)
      : settings_(settings),
        commit_(commit),
        script_(script),
        slot_(settings.state_dir),
        log_(fs::absolute(settings.state_dir) / "logs" /
             fmt::format("build-{}-{}.log", commit.id, flat(settings.platform))),
        tree_(slot_.path() / "tree"),
        out_(slot_.path() / "out"),
        program_(fs::path(settings.framework).filename().string() + "_benchmark") {
    for (const fs::path& folder : {tree_, out_, home(), scratch(), log_.parent_path()}) {
      fs::create_directories(folder);
    }
    fs::remove(log_);
  }

  std::variant<Executable, BuildFailure> run(const ExecutableCache& cache, const CacheEntry& entry,
                                             const std::stop_token& stop) {
    if (const auto failure = open_repository(settings_.mirror)->checkout(commit_, tree_, stop)) {
      const Kind kind = failure->kind == CheckoutFailure::Kind::stopped ? Kind::stopped
                        : failure->kind == CheckoutFailure::Kind::disk  ? Kind::disk
                                                                        : Kind::checkout;
      return failed(kind, failure->sentence);
    }
    if (auto failure = run_script(stop)) return *failure;
    if (auto failure = check_program()) return *failure;
    auto published = cache.publish(entry, out_, program_);
    if (const auto* problem = std::get_if<std::string>(&published)) {
      return failed(Kind::not_a_program, "the build script left something that cannot be kept: " + *problem);
    }
    return std::get<Executable>(std::move(published));
  }

  BuildFailure failed(Kind kind, const std::string& why) const {
    BuildFailure failure;
    failure.commit = commit_.id;
    failure.kind = kind;
    failure.exit_status = exit_status_;
    failure.sentence =
        fmt::format("commit {:.12} was not built for {}: {}", commit_.id, settings_.platform, why);
    std::error_code ignored;
    if (fs::exists(log_, ignored)) {
      failure.log = log_;
      failure.last_lines = last_lines(log_);
    }
    return failure;
  }

 private:
  fs::path home() const { return slot_.path() / "home"; }
  fs::path scratch() const { return slot_.path() / "tmp"; }

  std::vector<std::string> environment() const {
    std::vector<std::string> variables = {
        "PATH=" + settings_.search_path,
        "HOME=" + home().string(),
        "TMPDIR=" + scratch().string(),
        "LANG=C.UTF-8",
        "LC_ALL=C.UTF-8",
        "TZ=UTC",
        fmt::format("SOURCE_DATE_EPOCH={}", std::max<std::int64_t>(0, commit_.committer_time)),
        fmt::format("TANDEM_JOBS={}", settings_.jobs),
        "CXXFLAGS=" + settings_.cxxflags,
        "LDFLAGS=" + settings_.ldflags,
    };
    if (!settings_.sdk_dir.empty()) {
      variables.push_back("TANDEM_SDK_DIR=" + fs::absolute(settings_.sdk_dir).string());
    }
    if (!settings_.ccache_dir.empty()) {
      variables.push_back("CCACHE_DIR=" + fs::absolute(settings_.ccache_dir).string());
    }
    return variables;
  }

  std::optional<BuildFailure> run_script(const std::stop_token& stop) {
    runners::Command command;
    command.argv = start_of(script_);
    command.argv.push_back(tree_);
    command.argv.push_back(out_ / program_);
    command.environment = environment();
    command.working_directory = tree_;
    command.log_file = log_;
    runners::Limits limits;
    limits.deadline = settings_.deadline;
    limits.output_bytes = most_output;
    const Finished finished = run_command(command, limits, stop);
    if (finished.how == Finished::How::exited) exit_status_ = finished.code;
    if (finished.succeeded()) return std::nullopt;

    const std::string why = fmt::format("{} {}", script_.script.string(), describe(finished));
    switch (finished.how) {
      case Finished::How::stopped:
        return failed(Kind::stopped, why);
      case Finished::How::timed_out:
        return failed(Kind::timed_out, why);
      case Finished::How::not_started:
        return failed(Kind::script_missing, why);
      default:
        return failed(is_full(slot_.path()) ? Kind::disk : Kind::source, why);
    }
  }

  std::optional<BuildFailure> check_program() const {
    const fs::path program = out_ / program_;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(program, error);
    const std::string script = script_.script.string();
    if (!fs::exists(status)) {
      return failed(Kind::not_a_program,
                    script + " ended well but left no program where its second argument said");
    }
    if (!fs::is_regular_file(status) || ::access(program.c_str(), X_OK) != 0 || fs::file_size(program) == 0) {
      return failed(Kind::not_a_program, script + " left something that is not an executable file");
    }
    return std::nullopt;
  }

  const BuildSettings& settings_;
  const Commit& commit_;
  const BuildScript& script_;
  WorkSlot slot_;
  fs::path log_;
  fs::path tree_;
  fs::path out_;
  std::string program_;
  std::optional<int> exit_status_;
};

std::variant<Executable, BuildFailure> find_or_build(const BuildSettings& settings, const Commit& commit,
                                                     const std::stop_token& stop) {
  BuildFailure failure;
  failure.commit = commit.id;
  BuildScript script;
  try {
    script = find_build_script(settings.frameworks_dir, settings.framework, settings.platform);
  } catch (const InputError& error) {
    failure.kind = Kind::script_missing;
    failure.sentence = error.what();
    return failure;
  }
  CacheKeyParts parts;
  parts.commit = commit.id;
  parts.platform = settings.platform;
  parts.framework_hash = sha256_of_folder(script.framework_folder);
  parts.sdk_hash = settings.sdk_dir.empty() ? std::string() : sha256_of_folder(settings.sdk_dir);
  parts.toolchain = describe_toolchain(settings.search_path);
  parts.cxxflags = settings.cxxflags;
  parts.ldflags = settings.ldflags;
  parts.seed = settings.seed;
  const CacheEntry entry{settings.framework, settings.platform, commit.id, cache_key(parts)};

  const ExecutableCache cache(settings.exec_dir);
  ExecutableCache::Lookup cached = cache.find(entry);
  if (cached.executable) return std::move(*cached.executable);

  auto built = Attempt(settings, commit, script).run(cache, entry, stop);
  if (auto* executable = std::get_if<Executable>(&built)) executable->repaired = cached.damage;
  return built;
}

}  // namespace

ScriptBuilder::ScriptBuilder(BuildSettings settings) : settings_(std::move(settings)) {
  if (settings_.exec_dir.empty()) settings_.exec_dir = settings_.state_dir / "cache";
  clean_work(settings_.state_dir);
  ExecutableCache(settings_.exec_dir).clean();
}

std::variant<Executable, BuildFailure> ScriptBuilder::build(const Commit& commit, std::stop_token stop) {
  try {
    return find_or_build(settings_, commit, stop);
  } catch (const std::system_error& error) {
    if (!is_full(error.code())) throw Error(fmt::format("building commit {}: {}", commit.id, error.what()));
    BuildFailure failure;
    failure.commit = commit.id;
    failure.kind = Kind::disk;
    failure.sentence =
        fmt::format("commit {:.12} was not built for {}: {}", commit.id, settings_.platform, error.what());
    return failure;
  }
}

std::variant<Executable, std::string> ScriptBuilder::relink(const Executable& executable,
                                                            std::uint64_t /*seed*/,
                                                            std::stop_token /*stop*/) {
  return executable.layout_unresolved;
}

bool may_pass_later(BuildFailure::Kind kind) {
  return kind == Kind::disk || kind == Kind::sandbox || kind == Kind::script_missing || kind == Kind::stopped;
}

}  // namespace tandem::builders
