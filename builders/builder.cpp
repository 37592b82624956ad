#include "builders/builder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "builders/build_attempt.hpp"
#include "builders/build_failure.hpp"
#include "builders/cache/budget.hpp"
#include "builders/cache/executable_cache.hpp"
#include "builders/cache/files.hpp"
#include "builders/layout/layout.hpp"
#include "builders/repository.hpp"
#include "builders/toolchain.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using BuildFailureKind = BuildFailure::Kind;

bool is_full(const std::error_code& code) {
  return code == std::errc::no_space_on_device || code.value() == EDQUOT;
}

/// What any other file would have met on this host.
bool is_of_host(const std::error_code& code) {
  return is_full(code) || code == std::errc::io_error || code == std::errc::read_only_file_system ||
         code == std::errc::too_many_files_open || code == std::errc::too_many_files_open_in_system ||
         code == std::errc::not_enough_memory;
}

/// Enough for any program that this is about; a disk with less is full for everybody.
bool has_room(fs::path place) {
  constexpr std::uintmax_t room = std::uintmax_t{64} << 20;
  std::error_code error;
  // Before the first build there is no cache yet.
  while (!fs::exists(place, error) && place.has_relative_path()) place = place.parent_path();
  const fs::space_info space = fs::space(place, error);
  return !error && space.available >= room;
}

/// What a copy of the tree takes: holes of sparse files are written out.
std::uint64_t bytes_of_copy(const fs::path& tree) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(tree, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error)) {
    std::error_code unreadable;
    if (!entry->is_regular_file(unreadable) || entry->is_symlink(unreadable)) continue;
    const std::uintmax_t size = entry->file_size(unreadable);
    if (!unreadable) bytes += size;
  }
  return bytes;
}

/// Why the output may not be copied into the cache: its holes would fill the disk. Nothing: it may.
std::optional<std::string> too_large_to_keep(const BuildSettings& settings, const fs::path& out) {
  const std::uint64_t bytes = bytes_of_copy(out);
  if (settings.disk_bytes > 0 && bytes > settings.disk_bytes) {
    return fmt::format("its output has {} bytes, more than the limit of {}", bytes, settings.disk_bytes);
  }
  std::error_code error;
  const fs::space_info space = fs::space(settings.state_dir, error);
  if (error || bytes <= space.available || size_on_disk(out) > bytes / 2) return std::nullopt;
  return fmt::format("its output has {} bytes, most of them holes, and the disk has room for {}", bytes,
                     space.available);
}

BuildFailure failure_of(const BuildSettings& settings, const Commit& commit, BuildFailureKind kind,
                        const std::string& why) {
  BuildFailure failure;
  failure.commit = commit.id;
  failure.kind = kind;
  failure.sentence = fmt::format("commit {:.12} was not built for {}: {}", commit.id, settings.platform, why);
  return failure;
}

/// A server that refuses or lacks something today may give it tomorrow: tokens are renewed, and a submodule
/// may be pushed after the commit that names it.
BuildFailureKind kind_of(FetchFailure::Kind kind) {
  if (kind == FetchFailure::Kind::stopped) return BuildFailureKind::stopped;
  return kind == FetchFailure::Kind::disk ? BuildFailureKind::disk : BuildFailureKind::fetch;
}

/// The submodules are asked for before the key is made, because those inside others belong to it too.
std::optional<BuildFailure> bring_submodules(const BuildSettings& settings, const Commit& commit,
                                             const std::stop_token& stop) {
  if (!settings.source || open_repository(settings.mirror)->submodule_ids(commit.id).empty()) {
    return std::nullopt;
  }
  const auto failure = fetch_submodules(settings.mirror, commit.id, *settings.source, settings.fetch, stop);
  if (!failure) return std::nullopt;
  return failure_of(settings, commit, kind_of(failure->kind), failure->sentence);
}

Executable held(const BuildSettings& settings, Executable executable) {
  auto pinned = ExecutableCache(settings.exec_dir).pin(executable);
  if (!pinned) {
    throw Error(
        fmt::format("the executable of {} was dropped from the cache at this moment", executable.commit));
  }
  executable.held = std::make_shared<const InUse>(std::move(*pinned));
  return executable;
}

std::string key_of(const BuildSettings& settings, const BuildOrder& order) {
  CacheKeyParts parts;
  parts.commit = order.commit.id;
  parts.submodules = open_repository(settings.mirror)->submodule_ids(order.commit.id);
  parts.platform = settings.platform;
  parts.framework_hash = sha256_of_folder(order.script.framework_folder);
  parts.sdk_hash = settings.sdk_dir.empty() ? std::string() : sha256_of_folder(settings.sdk_dir);
  parts.toolchain = describe_toolchain(settings.search_path);
  parts.cxxflags = flags_of(settings);
  parts.ldflags = settings.ldflags;
  parts.seed = settings.seed;
  if (settings.section) {
    // Where the user's sources are seen says whether there is a sandbox; that has a field of its own.
    parts.variables = variables_of(*settings.section, "/");
    parts.sources_hash = hash_of(order.sources);
  }
  if (!settings.linker.empty()) {
    parts.linker = sha256_of_folder(settings.linker) + " " + describe_program(settings.lld);
  }
  parts.isolation = fmt::format("sandbox {}, git {}", settings.sandbox.has_value() ? "yes" : "no",
                                settings.git == BuildSettings::Git::provided ? "yes" : "no");
  return cache_key(parts);
}

std::variant<Executable, BuildFailure> build_once(const BuildSettings& settings, const BuildOrder& order,
                                                  unsigned jobs, const CacheEntry& entry,
                                                  const std::stop_token& stop) {
  BuildAttempt attempt(settings, order, jobs);
  auto result = attempt.run(stop);
  if (auto* failure = std::get_if<BuildFailure>(&result)) return std::move(*failure);
  const auto& built = std::get<BuildAttempt::Built>(result);
  if (const auto why = too_large_to_keep(settings, built.directory)) {
    return attempt.failed(BuildFailureKind::disk_limit, *why);
  }
  const auto unfit = [&](const std::string& why) {
    return attempt.failed(BuildFailureKind::not_a_program,
                          "the build script left something that cannot be kept: " + why);
  };
  try {
    auto published =
        ExecutableCache(settings.exec_dir).publish(entry, built.directory, built.program, built.links);
    if (const auto* problem = std::get_if<std::string>(&published)) return unfit(*problem);
    return std::get<Executable>(std::move(published));
  } catch (const std::system_error& error) {
    // A file that cannot be read is the commit's doing; a cache that cannot be written is not.
    if (is_of_host(error.code()) || ::access(settings.exec_dir.c_str(), W_OK | X_OK) != 0) throw;
    return unfit(error.what());
  }
}

std::variant<Executable, BuildFailure> find_or_build(const BuildSettings& settings, const Commit& commit,
                                                     const std::stop_token& stop) {
  BuildOrder order;
  order.commit = commit;
  try {
    order.script = find_build_script(settings.frameworks_dir, settings.framework, settings.platform);
    if (settings.section) order.sources = read_user_sources(*settings.section);
  } catch (const InputError& error) {
    // A program that was added by hand needs no script.
    const CacheEntry by_hand{settings.framework, settings.platform, commit.id, {}};
    if (auto added = ExecutableCache(settings.exec_dir).find(by_hand).executable) return std::move(*added);
    return failure_of(settings, commit, BuildFailureKind::script_missing, error.what());
  }
  if (auto failure = bring_submodules(settings, commit, stop)) return std::move(*failure);
  const CacheEntry entry{settings.framework, settings.platform, commit.id, key_of(settings, order)};
  ExecutableCache::Lookup cached = ExecutableCache(settings.exec_dir).find(entry);
  if (cached.executable) return std::move(*cached.executable);

  fs::remove(build_log(settings.state_dir, commit.id, settings.platform));
  auto built = build_once(settings, order, settings.jobs, entry, stop);
  const auto* failure = std::get_if<BuildFailure>(&built);
  // Several compilers at a time may need what one alone does not; the log of both runs is kept.
  if (failure != nullptr && failure->kind == BuildFailureKind::memory && settings.jobs > 1) {
    built = build_once(settings, order, 1, entry, stop);
  }
  if (auto* executable = std::get_if<Executable>(&built)) executable->repaired = cached.damage;
  return built;
}

}  // namespace

ScriptBuilder::ScriptBuilder(BuildSettings settings) : settings_(std::move(settings)) {
  if (settings_.exec_dir.empty()) settings_.exec_dir = settings_.state_dir / "cache";
  if (settings_.ccache_dir.empty()) settings_.ccache_dir = settings_.state_dir / "ccache";
  specs::complain_of_build(settings_.framework, settings_.section);
  clean_work(settings_.state_dir);
  ExecutableCache(settings_.exec_dir).clean();
  drop_fresh_layouts(settings_.exec_dir);
}

std::variant<Executable, BuildFailure> ScriptBuilder::build(const Commit& commit, std::stop_token stop) {
  const auto result_of = [&]() -> std::variant<Executable, BuildFailure> {
    try {
      const StopScope scope(stop);
      auto result = find_or_build(settings_, commit, stop);
      if (auto* executable = std::get_if<Executable>(&result)) {
        const bool added = !executable->from_cache;
        Executable kept = held(settings_, std::move(*executable));
        if (settings_.budget && added) settings_.budget->added(kept.directory.parent_path());
        return kept;
      }
      return result;
    } catch (const Stopped&) {
      return failure_of(settings_, commit, BuildFailureKind::stopped,
                        "it was stopped while its files were kept or looked at");
    } catch (const std::system_error& error) {
      if (is_full(error.code())) return failure_of(settings_, commit, BuildFailureKind::disk, error.what());
      if (is_of_host(error.code())) {
        throw HostError(fmt::format("building commit {}: {}", commit.id, error.what()));
      }
      return failure_of(settings_, commit, BuildFailureKind::unexpected, error.what());
    }
  };
  auto result = result_of();
  auto* failure = std::get_if<BuildFailure>(&result);
  const bool met_full_disk = failure != nullptr && failure->kind == BuildFailureKind::disk;
  if (met_full_disk || !has_room(settings_.state_dir)) empty_ccache(settings_);
  // What it had written is gone by now.
  if (met_full_disk && has_room(settings_.state_dir) && has_room(settings_.state_dir / "work") &&
      has_room(settings_.exec_dir)) {
    failure->kind = BuildFailureKind::too_large;
    failure->sentence += "; without it the disk has room";
  }
  return result;
}

void ScriptBuilder::drop_layout(Executable layout) {
  if (layout.layout.empty()) return;
  const fs::path directory = layout.directory.parent_path();
  layout.held.reset();
  builders::drop_layout(settings_.exec_dir, directory);
}

std::variant<Executable, RelinkFailure> ScriptBuilder::relink(const Executable& executable,
                                                              std::uint64_t seed, std::stop_token stop) {
  using RelinkKind = RelinkFailure::Kind;
  if (!executable.layout_unresolved.empty()) {
    return RelinkFailure{RelinkKind::not_possible, executable.layout_unresolved};
  }
  if (executable.links.empty()) {
    return RelinkFailure{RelinkKind::not_possible, "what it was linked from was not kept"};
  }
  try {
    const StopScope scope(stop);
    const ExecutableCache cache(settings_.exec_dir);
    ExecutableCache::Lookup cached = cache.find_layout(executable, seed);
    if (cached.executable) return held(settings_, std::move(*cached.executable));
    const WorkSlot slot(settings_.state_dir);
    const fs::path programs = slot.path() / "out";
    copy_for_now(executable.directory, programs);
    const LinkIsolation isolation{settings_.sandbox, settings_.foreign, settings_.memory_bytes,
                                  settings_.processes};
    if (auto why = builders::relink(executable.links, settings_.lld, seed, programs, stop, isolation)) {
      return *why;
    }
    auto published = cache.publish_layout(executable, seed, programs);
    if (auto* layout = std::get_if<Executable>(&published)) {
      Executable kept = held(settings_, std::move(*layout));
      if (settings_.budget) settings_.budget->added(kept.directory.parent_path());
      return kept;
    }
    return RelinkFailure{RelinkKind::not_possible, std::get<std::string>(std::move(published))};
  } catch (const Stopped& stopped) {
    return RelinkFailure{RelinkKind::may_pass, stopped.what()};
  } catch (const std::system_error& error) {
    if (is_of_host(error.code())) {
      throw HostError(fmt::format("linking commit {} again: {}", executable.commit, error.what()));
    }
    throw Error(fmt::format("linking commit {} again: {}", executable.commit, error.what()));
  }
}

}  // namespace tandem::builders
