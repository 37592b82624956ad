#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "builders/cache/executable_cache.hpp"
#include "builders/cache/files.hpp"
#include "config/settings.hpp"
#include "daemon/commands/commands.hpp"
#include "daemon/report/cache_report.hpp"
#include "daemon/service/storage_rules.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/terminal.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using builders::Pruned;
using builders::Pruning;

constexpr std::size_t shortest_prefix = 7;

fs::path exec_dir_of(const CacheOptions& options) {
  return fs::absolute(options.exec_dir ? *options.exec_dir
                                       : config::choose_state_dir(options.state_dir) / "cache");
}

fs::path existing_exec_dir_of(const CacheOptions& options) {
  const fs::path exec_dir = exec_dir_of(options);
  if (!fs::is_directory(exec_dir)) {
    throw InputError(
        fmt::format("there is no cache {}; give the daemon's --state_dir or --exec_dir", exec_dir.string()));
  }
  return exec_dir;
}

bool is_hex(const std::string& text) {
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The commits of open regressions, whose executables stay; none if there is no daemon's store.
std::set<std::string> needed_commits(const CacheOptions& options) {
  fs::path state_dir;
  try {
    state_dir = config::choose_state_dir(options.state_dir);
  } catch (const InputError&) {
    if (!options.exec_dir) throw;
    return {};  // A cache of its own, and no state directory anywhere.
  }
  return commits_of_living(state_dir / "tandem.db");
}

int list_cache(const CacheOptions& options) {
  const fs::path exec_dir = existing_exec_dir_of(options);
  const report::CacheContents contents{exec_dir, builders::list_entries(exec_dir),
                                       builders::list_damaged(exec_dir)};
  show("{}",
       options.format == Format::json ? report::contents_json(contents) : report::contents_table(contents));
  return 0;
}

int verify(const CacheOptions& options) {
  const builders::Verified verified = builders::verify_entries(existing_exec_dir_of(options));
  show("{}",
       options.format == Format::json ? report::verified_json(verified) : report::verified_text(verified));
  return verified.damage.empty() ? 0 : 4;
}

int prune(const CacheOptions& options) {
  if (options.budget.has_value() == !options.commit.empty()) {
    throw InputError("prune needs one of --budget BYTES and --commit COMMIT, such as --budget 20G");
  }
  if (!options.commit.empty() && (options.commit.size() < shortest_prefix || !is_hex(options.commit))) {
    throw InputError(fmt::format("--commit {} is no commit; give at least {} digits of its id, in lower case",
                                 options.commit, shortest_prefix));
  }
  const fs::path exec_dir = existing_exec_dir_of(options);
  const Pruning pruning = options.dry_run ? Pruning::rehearsal : Pruning::real;
  const Pruned pruned = options.budget
                            ? builders::prune(exec_dir, *options.budget, needed_commits(options), pruning)
                            : builders::drop_commit(exec_dir, options.commit, pruning);
  if (!options.budget && pruned.dropped.empty() && pruned.in_use == 0) {
    throw InputError(
        fmt::format("there is no executable of commit {}; tandem cache list shows all", options.commit));
  }
  show("{}", options.format == Format::json ? report::pruned_json(pruned, pruning)
                                            : report::pruned_text(pruned, pruning));
  return !options.budget && pruned.in_use > 0 ? 4 : 0;
}

void check_name(const char* flag, const std::string& name) {
  const fs::path path(name);
  const bool plain = std::none_of(path.begin(), path.end(), [](const fs::path& part) {
    return part == ".." || part == "." || part.empty();
  });
  if (name.empty() || path.is_absolute() || !plain) {
    throw InputError(
        fmt::format("{} \"{}\" is no name; write it as the daemon's {} has it", flag, name, flag));
  }
}

/// Copies what is given into one directory, each file under its own name.
void gather(const CacheOptions& options, const fs::path& folder) {
  fs::create_directory(folder);
  std::vector<fs::path> all = {options.program};
  all.insert(all.end(), options.files.begin(), options.files.end());
  for (const fs::path& from : all) {
    const fs::path given = from.has_filename() ? from : from.parent_path();
    if (!fs::is_regular_file(given) && !fs::is_directory(given)) {
      throw InputError(fmt::format("{} is neither a file nor a directory; give what belongs to the program",
                                   from.string()));
    }
    const fs::path to = folder / given.filename();
    if (fs::exists(to)) {
      throw InputError(
          fmt::format("two files are called {}; they would stand in one directory, so rename one",
                      given.filename().string()));
    }
    // A link that is given stands for what it leads to, under its own name.
    fs::copy(fs::canonical(given), to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
}

int add_executable(const CacheOptions& options) {
  check_name("--framework", options.framework);
  check_name("--platform", options.platform);
  if ((options.commit.size() != 40 && options.commit.size() != 64) || !is_hex(options.commit)) {
    throw InputError(
        fmt::format("--commit {} is no whole commit id; give all 40 digits, as git rev-parse prints them",
                    options.commit));
  }
  if (!fs::is_regular_file(options.program) || ::access(options.program.c_str(), X_OK) != 0) {
    throw InputError(
        fmt::format("{} is not an executable file; give the path of a program (chmod +x may be "
                    "missing)",
                    options.program.string()));
  }
  const fs::path exec_dir = exec_dir_of(options);
  const builders::ExecutableCache cache(exec_dir);
  const builders::CacheEntry entry{options.framework, options.platform, options.commit, {}};
  if (cache.find(entry).executable) {
    throw InputError(
        fmt::format("commit {} has been added already; drop it with tandem cache prune --commit {}",
                    options.commit, options.commit));
  }
  const builders::StagingDirectory staging(exec_dir);
  const fs::path gathered = staging.path() / "gathered";
  gather(options, gathered);
  const auto added = cache.add_by_hand(entry, gathered, options.program.filename().string());
  if (const auto* problem = std::get_if<std::string>(&added)) {
    throw InputError(fmt::format("these files cannot be kept: {}; leave it out or replace it", *problem));
  }
  const auto& executable = std::get<builders::Executable>(added);
  show("added {} for commit {} as {}\n", options.program.string(), options.commit,
       executable.directory.parent_path().string());
  for (const builders::StoredEntry& stored : builders::list_entries(exec_dir)) {
    const bool built = !stored.added_by_hand && stored.entry.framework == options.framework &&
                       stored.entry.platform == options.platform && stored.entry.commit == options.commit;
    if (built) {
      show(stderr, "a build of the same commit is used first, as long as it fits: {}\n",
           stored.directory.string());
    }
  }
  return 0;
}

}  // namespace

int run_cache_command(const CacheOptions& options) {
  switch (options.action) {
    case CacheOptions::Action::list:
      return list_cache(options);
    case CacheOptions::Action::verify:
      return verify(options);
    case CacheOptions::Action::prune:
      return prune(options);
    case CacheOptions::Action::add:
      return add_executable(options);
  }
  return 4;
}

}  // namespace tandem::daemon::commands
