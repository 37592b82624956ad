#include "builders/build_sandbox.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "builders/work_directory.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using runners::Sandbox;

const fs::path inside = "/tandem";

bool has_word(const std::string& text, const std::string& word) {
  std::istringstream words(text);
  for (std::string one; words >> one;) {
    if (one == word) return true;
  }
  return false;
}

/// Debian and Fedora bring a folder of links named after every compiler; elsewhere one is made.
Room find_compilers(const BuildSettings& settings, const fs::path& work, const fs::path& seen) {
  if (settings.ccache == BuildSettings::Ccache::off) return {};
  const fs::path ccache = find_program(settings.search_path, "ccache");
  if (ccache.empty()) return {};
  for (const fs::path folder : {"/usr/lib/ccache", "/usr/lib64/ccache"}) {
    std::error_code ignored;
    if (fs::exists(folder / "c++", ignored)) return {folder, folder, Sandbox::Access::read};
  }
  const Room room{work / "compilers", seen / "compilers", Sandbox::Access::read};
  fs::create_directory(room.host);
  for (const char* name : {"c++", "cc", "g++", "gcc", "clang++", "clang"}) {
    if (!find_program(settings.search_path, name).empty()) fs::create_symlink(ccache, room.host / name);
  }
  return room;
}

bool is_own(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

void copy_room(Room& room, const fs::path& to) {
  fs::copy(room.host, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  room.host = to;
}

/// The directory itself stays: another build may have it mounted.
void empty(const fs::path& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    remove_tree(entry->path());
  }
}

/// ccache keeps to its size by itself; a script that writes there by other means does not, and it would stay
/// from build to build. Then the whole of it goes: it only saves time.
void keep_bounded(const fs::path& ccache, std::uint64_t bytes) {
  std::error_code error;
  std::uint64_t found = 0;
  fs::recursive_directory_iterator entries(ccache, fs::directory_options::skip_permission_denied, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    struct stat file {};
    if (::lstat(entries->path().c_str(), &file) != 0) continue;
    found += static_cast<std::uint64_t>(file.st_blocks) * 512;
    // What a script made unreadable counts, too.
    if (S_ISDIR(file.st_mode) && (file.st_mode & S_IRWXU) != S_IRWXU) {
      std::error_code foreign;
      fs::permissions(entries->path(), fs::perms::owner_all, fs::perm_options::add, foreign);
    }
  }
  // While a build runs, ccache may be over its limit by what it has not yet counted.
  if (bytes != 0 && found > bytes + bytes / 2) empty(ccache);
}

/// Without a sandbox the work directory has one path per state directory and slot; the bytes must not show
/// which. A path that the flags cannot carry in one word is left.
std::string place_flag(const BuildRooms& rooms) {
  const std::string work = rooms.tree.seen.parent_path().string();
  const bool plain = std::none_of(work.begin(), work.end(), [](unsigned char c) {
    return c <= ' ' || c == '"' || c == '\'' || c == '\\' || c == '$' || c == '`' || c == '=';
  });
  return plain && work != inside ? fmt::format(" -ffile-prefix-map={}={}", work, inside.string()) : "";
}

}  // namespace

fs::path find_program(const std::string& search_path, const std::string& name) {
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path file = fs::path(folder) / name;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

BuildRooms make_rooms(const BuildSettings& settings, const fs::path& work, const BuildScript& script) {
  const fs::path seen = settings.sandbox ? inside : work;
  const auto own = [&](const char* name) {
    fs::create_directories(work / name);
    return Room{work / name, seen / name, Sandbox::Access::write};
  };
  const auto foreign = [&](const fs::path& host, const char* name) {
    if (host.empty()) return Room{};
    const fs::path place = fs::absolute(host);
    return Room{place, settings.sandbox ? inside / name : place, Sandbox::Access::read};
  };
  BuildRooms rooms;
  rooms.tree = own("tree");
  rooms.out = own("out");
  rooms.home = own("home");
  rooms.objects = own("objects");
  rooms.scratch = own("tmp");
  rooms.sources = own("spec");
  rooms.sources.access = Sandbox::Access::read;
  rooms.links = {work / "links", seen / "links", Sandbox::Access::write};
  rooms.framework = foreign(script.framework_folder, "framework");
  rooms.sdk = foreign(settings.sdk_dir, "sdk");
  rooms.linker = foreign(settings.linker, "linker");
  const bool other_user = !settings.sandbox && settings.foreign == runners::Foreign::yes;
  // The user of the sandbox may not be allowed to read the original; what is mounted need only be readable.
  if (settings.sandbox || other_user) copy_room(rooms.framework, work / "framework");
  if (other_user) {
    for (const auto& [room, name] : {std::pair{&rooms.framework, ""}, std::pair{&rooms.sdk, "sdk"},
                                     std::pair{&rooms.linker, "linker"}}) {
      if (std::error_code error; !fs::exists(room->host, error)) continue;
      if (*name != 0) copy_room(*room, work / name);
      room->seen = room->host;
    }
  }
  rooms.compilers = find_compilers(settings, work, seen);
  if (!rooms.compilers.host.empty()) {
    // Apart, because other users write there; what foreign code wrote must not become part of other builds.
    const char* isolation = settings.sandbox                            ? "sandbox"
                            : settings.foreign == runners::Foreign::yes ? "foreign"
                                                                        : "host";
    rooms.ccache = foreign(settings.ccache_dir / isolation, "ccache");
    rooms.ccache.access = Sandbox::Access::write;
    keep_bounded(rooms.ccache.host, settings.ccache_bytes);
    fs::create_directories(rooms.ccache.host);
  }
  return rooms;
}

void empty_ccache(const BuildSettings& settings) {
  std::error_code error;
  for (fs::directory_iterator entry(settings.ccache_dir, error), end; !error && entry != end;
       entry.increment(error)) {
    empty(entry->path());
  }
}

std::optional<Sandbox> sandbox_of(const BuildSettings& settings, const BuildRooms& rooms) {
  if (settings.sandbox || settings.foreign == runners::Foreign::yes) {
    runners::give_to_sandbox(rooms.tree.host.parent_path());
    // It may hold many files, and those that builds wrote are theirs already.
    if (!rooms.ccache.host.empty() && is_own(rooms.ccache.host)) runners::give_to_sandbox(rooms.ccache.host);
  }
  if (!settings.sandbox) return std::nullopt;
  Sandbox sandbox;
  sandbox.tools = *settings.sandbox;
  sandbox.memory_bytes = settings.memory_bytes;
  sandbox.disk_bytes = settings.disk_bytes;
  sandbox.processes = settings.processes;
  for (const Room* room : {&rooms.tree, &rooms.out, &rooms.home, &rooms.objects, &rooms.sources, &rooms.links,
                           &rooms.framework, &rooms.sdk, &rooms.ccache, &rooms.compilers, &rooms.linker}) {
    std::error_code ignored;
    // What has its own path belongs to the system, which is shown as it is.
    if (room->host != room->seen && fs::exists(room->host, ignored)) {
      sandbox.mounts.push_back({room->host, room->seen, room->access});
    }
  }
  for (const fs::path& place : settings.readable) {
    sandbox.mounts.push_back({place, place, Sandbox::Access::read});
  }
  if (settings.git == BuildSettings::Git::provided) {
    const fs::path objects = fs::absolute(settings.mirror) / "objects";
    sandbox.mounts.push_back({objects, objects, Sandbox::Access::read});
  }
  return sandbox;
}

std::string flags_of(const BuildSettings& settings) {
  std::string flags = settings.cxxflags;
  if (settings.linker.empty()) return flags;
  for (const char* flag : {"-ffunction-sections", "-fdata-sections"}) {
    if (!has_word(flags, flag)) flags.append(flags.empty() ? "" : " ").append(flag);
  }
  return flags;
}

std::vector<std::string> environment_of(const BuildSettings& settings, const BuildRooms& rooms,
                                        const Commit& commit, unsigned jobs) {
  const std::string flags = flags_of(settings) + place_flag(rooms);
  const std::string first = rooms.compilers.seen.empty() ? "" : rooms.compilers.seen.string() + ":";
  std::vector<std::string> variables = {
      "PATH=" + first + settings.search_path,
      "HOME=" + rooms.home.seen.string(),
      settings.sandbox ? "TMPDIR=/tmp" : "TMPDIR=" + rooms.scratch.seen.string(),
      "LANG=C.UTF-8",
      "LC_ALL=C.UTF-8",
      "TZ=UTC",
      fmt::format("SOURCE_DATE_EPOCH={}", std::max<std::int64_t>(0, commit.committer_time)),
      fmt::format("TANDEM_JOBS={}", jobs),
      "TANDEM_WORK_DIR=" + rooms.objects.seen.string(),
      "CFLAGS=" + flags,
      "CXXFLAGS=" + flags,
      "LDFLAGS=" + settings.ldflags,
  };
  if (!rooms.sdk.seen.empty()) variables.push_back("TANDEM_SDK_DIR=" + rooms.sdk.seen.string());
  if (!rooms.ccache.seen.empty()) {
    // The working directory stays part of ccache's hash, its default: it is the same for every build in a
    // slot, and an object compiled elsewhere must not be taken.
    variables.push_back("CCACHE_DIR=" + rooms.ccache.seen.string());
    variables.push_back(fmt::format("CCACHE_MAXSIZE={}M", settings.ccache_bytes >> 20));  // 0: no limit
  }
  return variables;
}

}  // namespace tandem::builders
