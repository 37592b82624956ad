#include "builders/build_attempt.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "builders/work_directory.hpp"
#include "specs/foundation/files.hpp"

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
BuildDirectory find_compilers(const BuildSettings& settings, const fs::path& work, const fs::path& seen) {
  if (settings.ccache == BuildSettings::Ccache::off) return {};
  const auto ccache = find_on_path("ccache", settings.search_path);
  if (!ccache) return {};
  for (const fs::path folder : {"/usr/lib/ccache", "/usr/lib64/ccache"}) {
    std::error_code ignored;
    if (fs::exists(folder / "c++", ignored)) return {folder, folder, Sandbox::Access::read};
  }
  const BuildDirectory directory{work / "compilers", seen / "compilers", Sandbox::Access::read};
  fs::create_directory(directory.host);
  for (const char* name : {"c++", "cc", "g++", "gcc", "clang++", "clang"}) {
    if (find_on_path(name, settings.search_path)) fs::create_symlink(*ccache, directory.host / name);
  }
  return directory;
}

bool is_own(const fs::path& folder) {
  struct stat status {};
  return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

void copy_directory(BuildDirectory& directory, const fs::path& to) {
  fs::copy(directory.host, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  directory.host = to;
}

/// The directory itself stays: another build may have it mounted.
void empty(const fs::path& directory) {
  for (const fs::path& path : paths_in(directory)) remove_tree(path);
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
std::string place_flag(const BuildDirectories& directories) {
  const std::string work = directories.tree.seen.parent_path().string();
  const bool plain = std::none_of(work.begin(), work.end(), [](unsigned char c) {
    return c <= ' ' || c == '"' || c == '\'' || c == '\\' || c == '$' || c == '`' || c == '=';
  });
  return plain && work != inside ? fmt::format(" -ffile-prefix-map={}={}", work, inside.string()) : "";
}

}  // namespace

BuildDirectories prepare_directories(const BuildSettings& settings, const fs::path& work,
                                     const BuildScript& script) {
  const fs::path seen = settings.sandbox ? inside : work;
  const auto own = [&](const char* name) {
    fs::create_directories(work / name);
    return BuildDirectory{work / name, seen / name, Sandbox::Access::write};
  };
  const auto foreign = [&](const fs::path& host, const char* name) {
    if (host.empty()) return BuildDirectory{};
    const fs::path place = fs::absolute(host);
    return BuildDirectory{place, settings.sandbox ? inside / name : place, Sandbox::Access::read};
  };
  BuildDirectories directories;
  directories.tree = own("tree");
  directories.out = own("out");
  directories.home = own("home");
  directories.objects = own("objects");
  directories.scratch = own("tmp");
  directories.sources = own("spec");
  directories.sources.access = Sandbox::Access::read;
  directories.links = {work / "links", seen / "links", Sandbox::Access::write};
  directories.framework = foreign(script.framework_folder, "framework");
  directories.sdk = foreign(settings.sdk_dir, "sdk");
  directories.linker = foreign(settings.linker, "linker");
  const bool other_user = !settings.sandbox && settings.foreign == runners::Foreign::yes;
  // The user of the sandbox may not be allowed to read the original; what is mounted need only be readable.
  if (settings.sandbox || other_user) copy_directory(directories.framework, work / "framework");
  if (other_user) {
    for (const auto& [directory, name] :
         {std::pair{&directories.framework, ""}, std::pair{&directories.sdk, "sdk"},
          std::pair{&directories.linker, "linker"}}) {
      if (std::error_code error; !fs::exists(directory->host, error)) continue;
      if (*name != 0) copy_directory(*directory, work / name);
      directory->seen = directory->host;
    }
  }
  directories.compilers = find_compilers(settings, work, seen);
  if (!directories.compilers.host.empty()) {
    // Apart, because other users write there; what foreign code wrote must not become part of other builds.
    const char* isolation = settings.sandbox                            ? "sandbox"
                            : settings.foreign == runners::Foreign::yes ? "foreign"
                                                                        : "host";
    directories.ccache = foreign(settings.ccache_dir / isolation, "ccache");
    directories.ccache.access = Sandbox::Access::write;
    keep_bounded(directories.ccache.host, settings.ccache_bytes);
    fs::create_directories(directories.ccache.host);
  }
  return directories;
}

void empty_ccache(const BuildSettings& settings) {
  for (const fs::path& isolation : paths_in(settings.ccache_dir)) empty(isolation);
}

std::optional<Sandbox> sandbox_of(const BuildSettings& settings, const BuildDirectories& directories) {
  if (settings.sandbox || settings.foreign == runners::Foreign::yes) {
    runners::give_to_sandbox(directories.tree.host.parent_path());
    // It may hold many files, and those that builds wrote are theirs already.
    if (!directories.ccache.host.empty() && is_own(directories.ccache.host))
      runners::give_to_sandbox(directories.ccache.host);
  }
  if (!settings.sandbox) return std::nullopt;
  Sandbox sandbox;
  sandbox.tools = *settings.sandbox;
  sandbox.memory_bytes = settings.memory_bytes;
  sandbox.disk_bytes = settings.disk_bytes;
  sandbox.processes = settings.processes;
  for (const BuildDirectory* directory :
       {&directories.tree, &directories.out, &directories.home, &directories.objects, &directories.sources,
        &directories.links, &directories.framework, &directories.sdk, &directories.ccache,
        &directories.compilers, &directories.linker}) {
    std::error_code ignored;
    // What has its own path belongs to the system, which is shown as it is.
    if (directory->host != directory->seen && fs::exists(directory->host, ignored)) {
      sandbox.mounts.push_back({directory->host, directory->seen, directory->access});
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

std::vector<std::string> environment_of(const BuildSettings& settings, const BuildDirectories& directories,
                                        const Commit& commit, unsigned jobs) {
  const std::string flags = flags_of(settings) + place_flag(directories);
  const std::string first =
      directories.compilers.seen.empty() ? "" : directories.compilers.seen.string() + ":";
  std::vector<std::string> variables = {
      "PATH=" + first + settings.search_path,
      "HOME=" + directories.home.seen.string(),
      settings.sandbox ? "TMPDIR=/tmp" : "TMPDIR=" + directories.scratch.seen.string(),
      "LANG=C.UTF-8",
      "LC_ALL=C.UTF-8",
      "TZ=UTC",
      fmt::format("SOURCE_DATE_EPOCH={}", std::max<std::int64_t>(0, commit.committer_time)),
      fmt::format("TANDEM_JOBS={}", jobs),
      "TANDEM_WORK_DIR=" + directories.objects.seen.string(),
      "CFLAGS=" + flags,
      "CXXFLAGS=" + flags,
      "LDFLAGS=" + settings.ldflags,
  };
  if (!directories.sdk.seen.empty()) variables.push_back("TANDEM_SDK_DIR=" + directories.sdk.seen.string());
  if (!directories.ccache.seen.empty()) {
    // The working directory stays part of ccache's hash, its default: it is the same for every build in a
    // slot, and an object compiled elsewhere must not be taken.
    variables.push_back("CCACHE_DIR=" + directories.ccache.seen.string());
    variables.push_back(fmt::format("CCACHE_MAXSIZE={}M", settings.ccache_bytes >> 20));  // 0: no limit
  }
  return variables;
}

}  // namespace tandem::builders
