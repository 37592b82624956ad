
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "builders/hg/mirror.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::builders::hg {

namespace {

namespace fs = std::filesystem;

/// All in it can be fetched again; the last such mirror is kept for a look.
void put_mirror_aside(const fs::path& mirror) {
  const fs::path aside = mirror.string() + ".damaged";
  fs::remove_all(aside);
  fs::rename(mirror, aside);
}

/// Makes the mirror beside its place and renames it, so that it is either whole or missing.
void create_mirror(const fs::path& mirror, std::chrono::nanoseconds deadline) {
  const fs::path fresh = mirror.string() + ".new";
  fs::remove_all(fresh);
  Call call;
  call.arguments = {"init", "--", fresh};
  call.deadline = deadline;
  static_cast<void>(run_or_throw(call, fmt::format("make the mirror '{}'", mirror.string())));
  fs::rename(fresh, mirror);
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool has_line(const std::vector<std::string>& lines, const char* line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

/// The `.hg` with the history: of a share (`hg share`), that of the repository it shares with.
fs::path home_of_store(const fs::path& dot_hg, const std::vector<std::string>& requirements) {
  const bool relative = has_line(requirements, "relshared");
  if (!relative && !has_line(requirements, "shared")) return dot_hg;
  const auto lines = lines_of(dot_hg / "sharedpath");
  if (lines.empty()) return dot_hg;
  return relative ? dot_hg / lines.front() : fs::path(lines.front());
}

/// Locks and what a transaction leaves are no part of the history.
bool belongs_to_history(const std::string& name) {
  return name.find("lock") == std::string::npos && !name.starts_with("journal") && !name.starts_with("undo");
}

void link_files(const fs::path& from, const fs::path& to, Depth depth) {
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename();
    const bool tags = name.ends_with("hgtags.i") || name.ends_with("hgtags.d");
    // hg does not follow a linked directory inside a store, so each file is linked by itself.
    if (entry.is_directory()) {
      if (depth == Depth::everything) link_files(entry.path(), to / name, depth);
    } else if (depth == Depth::everything || tags) {
      fs::create_symlink(fs::absolute(entry.path()), to / name);
    }
  }
}

/// Caches spare hg a walk over the whole history; it checks them itself.
void copy_files(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  fs::create_directories(to);
  for (const auto& entry : fs::directory_iterator(from, ignored)) {
    if (entry.is_regular_file(ignored)) fs::copy_file(entry.path(), to / entry.path().filename(), ignored);
  }
}

}  // namespace

std::optional<FileLock> lock_mirror(const fs::path& mirror, std::chrono::steady_clock::time_point end,
                                    const std::stop_token& stop) {
  make_directories(mirror.parent_path());
  FileLock lock(mirror.string() + ".lock");
  while (!lock.try_lock()) {
    const bool in_time = std::chrono::steady_clock::now() < end;
    // The kernel does not tell when a lock becomes free.
    if (!in_time || !pause_unless_stopped(std::chrono::milliseconds{50}, stop)) return std::nullopt;
  }
  return lock;
}

void prepare_mirror(const fs::path& mirror, std::chrono::nanoseconds deadline) {
  const fs::path store = mirror / ".hg" / "store";
  if (fs::exists(mirror)) {
    if (!fs::exists(mirror / ".hg" / "requires") || !fs::is_directory(store)) put_mirror_aside(mirror);
  }
  if (!fs::exists(mirror)) return create_mirror(mirror, deadline);
  // Ours is the only fetch, so these belong to a dead one; its process number may be taken by now.
  for (const fs::path& lock : {store / "lock", mirror / ".hg" / "wlock"}) fs::remove(lock);
  if (!fs::exists(store / "journal")) return;
  Call call;
  call.arguments = {"-R", mirror, "recover", "--no-verify"};
  call.deadline = deadline;
  if (run(call).succeeded() && !fs::exists(store / "journal")) return;
  put_mirror_aside(mirror);
  create_mirror(mirror, deadline);
}

bool put_aside_if_damaged(const fs::path& mirror, std::chrono::nanoseconds deadline,
                          const std::stop_token& stop) {
  Call call;
  call.arguments = {"-R", mirror, "verify"};
  call.deadline = deadline;
  const runners::Finished finished = run(call, stop);
  // Out of time or stopped says nothing about the mirror.
  if (finished.succeeded() || finished.how != runners::Finished::How::exited) return false;
  put_mirror_aside(mirror);
  return true;
}

void make_view(const fs::path& repository, const fs::path& place, Depth depth) {
  const fs::path dot_hg = repository / ".hg";
  std::vector<std::string> requirements = lines_of(dot_hg / "requires");
  const fs::path home = home_of_store(dot_hg, requirements);
  const bool modern = has_line(requirements, "store") || has_line(requirements, "share-safe");
  if (!modern || !fs::is_directory(home / "store")) {
    throw InputError(
        fmt::format("the repository '{}' is not in a form that is read; clone it with `hg clone --pull`, and "
                    "give the path of that clone",
                    repository.string()));
  }
  std::erase_if(requirements, [](const std::string& r) { return r == "shared" || r == "relshared"; });

  const fs::path ours = place / ".hg";
  fs::create_directories(ours / "store");
  std::ofstream list(ours / "requires");
  for (const std::string& requirement : requirements) list << requirement << '\n';
  for (const auto& entry : fs::directory_iterator(home / "store")) {
    const std::string name = entry.path().filename();
    if (!belongs_to_history(name)) continue;
    if (entry.is_directory()) {
      link_files(entry.path(), ours / "store" / name, depth);
    } else {
      fs::create_symlink(fs::absolute(entry.path()), ours / "store" / name);
    }
  }
  std::error_code ignored;
  fs::copy_file(home / "bookmarks", ours / "bookmarks", ignored);
  copy_files(home / "cache", ours / "cache");
}

std::string path_setting(const fs::path& repository, const std::string& name) {
  std::string section;
  std::string value;
  for (const std::string& line : lines_of(repository / ".hg" / "hgrc")) {
    if (line.empty() || line.front() == '#' || line.front() == ';' || line.front() == ' ' ||
        line.front() == '\t') {
      continue;
    }
    if (line.front() == '[') {
      section = line.substr(1, line.find(']') - 1);
      continue;
    }
    const auto equals = line.find('=');
    if (section == "paths" && equals != std::string::npos && trimmed(line.substr(0, equals)) == name) {
      value = trimmed(line.substr(equals + 1));
    }
  }
  return value;
}

}  // namespace tandem::builders::hg
