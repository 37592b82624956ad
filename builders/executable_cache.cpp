#include "builders/executable_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#include "builders/manifest.hpp"
#include "builders/work_slot.hpp"
#include "runners/descriptor.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using runners::OwnedDescriptor;

constexpr const char* manifest_name = "manifest.json";
constexpr const char* programs_name = "programs";

[[noreturn]] void fail(const std::string& doing, const fs::path& path) {
  throw std::system_error(errno, std::generic_category(), fmt::format("cannot {} {}", doing, path.string()));
}

void synchronise(const fs::path& path) {
  const OwnedDescriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0 || ::fsync(descriptor.get()) != 0) fail("write", path);
}

void write_durably(const fs::path& path, const std::string& text) {
  {
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    file << text << std::flush;
    if (!file) fail("write", path);
  }
  synchronise(path);
}

/// std::filesystem::copy_file turns a full disk into an input/output error; here it stays what it is.
void copy_content(const fs::path& from, const fs::path& to) {
  const OwnedDescriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.get() < 0) fail("read", from);
  const OwnedDescriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (target.get() < 0) fail("write", to);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (true) {
    const ssize_t got = ::read(source.get(), buffer.data(), buffer.size());
    if (got < 0) fail("read", from);
    if (got == 0) return;
    for (ssize_t done = 0; done < got;) {
      const ssize_t written =
          ::write(target.get(), buffer.data() + done, static_cast<std::size_t>(got - done));
      if (written < 0) fail("write", to);
      done += written;
    }
  }
}

/// Files lose their write bits; directories keep theirs, so that an entry can be moved and removed.
void copy_durably(const fs::path& from, const fs::path& to) {
  fs::create_directory(to);
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path target = to / entry.path().filename();
    if (entry.is_symlink()) {
      fs::copy_symlink(entry.path(), target);
    } else if (entry.is_directory()) {
      copy_durably(entry.path(), target);
    } else {
      copy_content(entry.path(), target);
      const bool executable = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      if (::chmod(target.c_str(), executable ? 0555 : 0444) != 0) fail("set the mode of", target);
      synchronise(target);
    }
  }
  synchronise(to);
}

/// A directory of our own below `incoming`, locked as long as this process works in it.
class Incoming {
 public:
  explicit Incoming(const fs::path& parent) {
    fs::create_directories(parent);
    while (true) {
      std::string name = (parent / "XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) fail("make a directory in", parent);
      path_ = name;
      lock_ = OwnedDescriptor(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      // Somebody who cleans up may have been faster between making and locking.
      if (lock_.get() >= 0 && ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0 && fs::exists(path_)) return;
    }
  }
  ~Incoming() { remove_tree(path_); }
  Incoming(const Incoming&) = delete;
  Incoming& operator=(const Incoming&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  OwnedDescriptor lock_;
};

Executable executable_of(const fs::path& place, Manifest manifest) {
  Executable executable;
  executable.commit = manifest.commit;
  executable.platform = manifest.platform;
  executable.key = manifest.key;
  executable.directory = place / programs_name;
  executable.program = executable.directory / manifest.program;
  for (const ManifestFile& file : manifest.files) {
    const bool beside = file.path.find('/') == std::string::npos;
    if (beside && file.path != manifest.program) {
      executable.further_programs.emplace(file.path, executable.directory / file.path);
    }
  }
  executable.manifest = std::move(manifest.files);
  return executable;
}

/// The manifest if all is as it says; otherwise a sentence.
std::variant<Manifest, std::string> examine(const fs::path& place, const CacheEntry& entry) {
  std::ifstream file(place / manifest_name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open()) return "it has no manifest";
  try {
    Manifest manifest = manifest_from_json(text);
    if (manifest.key != entry.key || manifest.commit != entry.commit)
      return "its manifest is of another build";
    const auto inventory = take_inventory(place / programs_name);
    if (const auto* problem = std::get_if<std::string>(&inventory)) return *problem;
    const auto& found = std::get<std::vector<ManifestFile>>(inventory);
    if (found == manifest.files) return manifest;
    for (const ManifestFile& wanted : manifest.files) {
      if (std::find(found.begin(), found.end(), wanted) == found.end()) {
        return fmt::format("'{}' is missing or changed", wanted.path);
      }
    }
    return "it holds files that its manifest does not name";
  } catch (const Error& error) {
    return error.what();
  } catch (const std::system_error& error) {
    return error.what();
  }
}

}  // namespace

ExecutableCache::ExecutableCache(const fs::path& exec_dir) : exec_dir_(fs::absolute(exec_dir)) {}

fs::path ExecutableCache::place_of(const CacheEntry& entry) const {
  constexpr std::size_t prefix = 16;
  return exec_dir_ / entry.framework / entry.platform / entry.commit / entry.key.substr(0, prefix);
}

ExecutableCache::Lookup ExecutableCache::find(const CacheEntry& entry) const {
  const fs::path place = place_of(entry);
  std::error_code error;
  if (!fs::exists(fs::symlink_status(place, error))) return {};
  auto examined = examine(place, entry);
  if (auto* manifest = std::get_if<Manifest>(&examined)) {
    Executable executable = executable_of(place, std::move(*manifest));
    executable.from_cache = true;
    return {std::move(executable), {}};
  }
  // One damaged entry per build is kept for a look, out of the way of the next.
  const fs::path aside =
      exec_dir_ / "damaged" / fmt::format("{}-{}", entry.commit, place.filename().string());
  remove_tree(aside);
  fs::create_directories(aside.parent_path());
  if (::rename(place.c_str(), aside.c_str()) != 0 && errno != ENOENT) fail("move away", place);
  return {std::nullopt, fmt::format("the cached executable '{}' was damaged ({}) and has been moved to '{}'",
                                    place.string(), std::get<std::string>(examined), aside.string())};
}

std::variant<Executable, std::string> ExecutableCache::publish(const CacheEntry& entry,
                                                               const fs::path& directory,
                                                               const std::string& program) const {
  const Incoming incoming(exec_dir_ / "incoming");
  const fs::path fresh = incoming.path() / "entry";
  // What cannot be kept is refused before it is copied: a link may lead anywhere.
  if (auto refused = take_inventory(directory); std::holds_alternative<std::string>(refused)) {
    return std::get<std::string>(refused);
  }
  fs::create_directory(fresh);
  copy_durably(directory, fresh / programs_name);
  auto inventory = take_inventory(fresh / programs_name);
  if (auto* problem = std::get_if<std::string>(&inventory)) return std::move(*problem);
  Manifest manifest{entry.key,      entry.commit, entry.framework,
                    entry.platform, program,      std::get<std::vector<ManifestFile>>(std::move(inventory))};
  write_durably(fresh / manifest_name, to_json(manifest));
  synchronise(fresh);

  const fs::path place = place_of(entry);
  fs::create_directories(place.parent_path());
  if (::rename(fresh.c_str(), place.c_str()) != 0) {
    if (errno != ENOTEMPTY && errno != EEXIST) fail("publish", place);
    Lookup theirs = find(entry);
    if (theirs.executable) return std::move(*theirs.executable);
    if (::rename(fresh.c_str(), place.c_str()) != 0) fail("publish", place);
  }
  for (fs::path folder = place.parent_path(); folder != exec_dir_; folder = folder.parent_path()) {
    synchronise(folder);
  }
  synchronise(exec_dir_);
  return executable_of(place, std::move(manifest));
}

void ExecutableCache::clean() const {
  std::error_code error;
  for (fs::directory_iterator entry(exec_dir_ / "incoming", error), end; !error && entry != end;
       entry.increment(error)) {
    const OwnedDescriptor lock(::open(entry->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock.get() >= 0 && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) remove_tree(entry->path());
  }
}

}  // namespace tandem::builders
