#include "builders/identity/identity.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstring>
#include <set>
#include <sstream>
#include <system_error>

#include "specs/foundation/files.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_libraries = 4096;
constexpr std::size_t most_variants = 64;

std::string identity_of(const fs::path& path, const ElfImage& image, std::string_view bytes) {
  if (const std::string id = build_id_of(image, bytes); !id.empty()) return "build id " + id;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "unreadable";
  return fmt::format("size {} changed {}.{:09}", status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ':');) parts.push_back(part);
  return parts;
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

/// The directories of an RPATH or RUNPATH that can be known.
std::vector<fs::path> folders_of(const std::string& list, const fs::path& object) {
  std::vector<fs::path> folders;
  for (std::string folder : split(list)) {
    replace_all(folder, "${ORIGIN}", object.parent_path().string());
    replace_all(folder, "$ORIGIN", object.parent_path().string());
    if (folder.starts_with('/') && folder.find('$') == std::string::npos) folders.emplace_back(folder);
  }
  return folders;
}

std::vector<fs::path> default_folders(const ElfImage& image) {
  std::vector<fs::path> folders;
  const char* triplet = image.machine == EM_X86_64    ? "x86_64-linux-gnu"
                        : image.machine == EM_AARCH64 ? "aarch64-linux-gnu"
                                                      : nullptr;
  if (triplet != nullptr) folders = {fs::path("/lib") / triplet, fs::path("/usr/lib") / triplet};
  for (const char* folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) folders.emplace_back(folder);
  return folders;
}

}  // namespace

std::multimap<std::string, fs::path> read_loader_cache(std::string_view bytes) {
  // The format of glibc since 2.2 (glibc's dl-cache.h): this magic, a count, the length of the strings, five
  // reserved words; then per library flags, offsets of name and path from the magic, and two numbers about
  // the processor. An older table may stand before it.
  constexpr std::string_view magic = "glibc-ld.so.cache1.1";
  constexpr std::size_t header = 48;
  constexpr std::size_t size_of_entry = 24;
  std::multimap<std::string, fs::path> libraries;
  const std::size_t start = bytes.find(magic);
  if (start == std::string_view::npos) return libraries;
  bytes.remove_prefix(start);
  if (bytes.size() < header) return libraries;
  const auto number_at = [&](std::size_t at) {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    return number;
  };
  const auto text_at = [&](std::size_t at) {
    const std::string_view rest = at < bytes.size() ? bytes.substr(at) : std::string_view();
    return rest.substr(0, rest.find('\0'));
  };
  const std::size_t count = number_at(magic.size());
  for (std::size_t i = 0; i < count && header + (i + 1) * size_of_entry <= bytes.size(); ++i) {
    const std::size_t entry = header + i * size_of_entry;
    const std::string_view path = text_at(number_at(entry + 8));
    if (path.starts_with('/')) libraries.emplace(text_at(number_at(entry + 4)), path);
  }
  return libraries;
}

LibrarySearch::LibrarySearch(const fs::path& loader_cache) {
  try {
    cached_ = read_loader_cache(MappedFile(loader_cache).bytes());
  } catch (const std::system_error&) {
    // A system without the cache uses the default directories.
  }
}

const LibrarySearch::Object* LibrarySearch::look_at(const fs::path& path) {
  const auto [known, fresh] = seen_.try_emplace(path);
  if (fresh) {
    try {
      const MappedFile file(path);
      if (auto image = read_elf(file.bytes())) {
        std::string identity = identity_of(path, *image, file.bytes());
        known->second = Object{path, std::move(*image), std::move(identity)};
      }
    } catch (const std::system_error&) {
      // What cannot be read is not there for the loader either.
    }
  }
  return known->second ? &*known->second : nullptr;
}

std::vector<const LibrarySearch::Object*> LibrarySearch::candidates(const fs::path& folder,
                                                                    const std::string& name,
                                                                    const ElfImage& for_program) {
  std::vector<fs::path> paths = {folder / name};
  std::error_code error;
  for (fs::directory_iterator variant(folder / "glibc-hwcaps", error), end;
       !error && variant != end && paths.size() < most_variants; variant.increment(error)) {
    paths.push_back(variant->path() / name);
  }
  std::vector<const Object*> found;
  for (const fs::path& path : paths) {
    const Object* object = look_at(path.lexically_normal());
    if (object != nullptr && object->image.machine == for_program.machine &&
        object->image.file_class == for_program.file_class) {
      found.push_back(object);
    }
  }
  return found;
}

std::vector<const LibrarySearch::Object*> LibrarySearch::resolve(const std::string& name,
                                                                 const std::vector<Loaded>& loaded,
                                                                 std::size_t loader) {
  const ElfImage& program = loaded.front().object->image;
  if (name.find('/') != std::string::npos) {
    const Object* object = name.starts_with('/') ? look_at(name) : nullptr;
    return object != nullptr ? std::vector{object} : std::vector<const Object*>();
  }
  std::vector<fs::path> folders;
  const auto append = [&](const std::vector<fs::path>& more) {
    folders.insert(folders.end(), more.begin(), more.end());
  };
  const Object& needing = *loaded[loader].object;
  if (needing.image.runpath.empty()) {
    // RPATH also counts for what the libraries need in turn.
    for (std::size_t i = loader;; i = loaded[i].loader) {
      const Object& one = *loaded[i].object;
      if (one.image.runpath.empty()) append(folders_of(one.image.rpath, one.path));
      if (i == loaded[i].loader) break;
    }
  } else {
    append(folders_of(needing.image.runpath, needing.path));
  }
  for (const fs::path& folder : folders) {
    if (auto found = candidates(folder, name, program); !found.empty()) return found;
  }
  std::vector<const Object*> found;
  const auto [first, last] = cached_.equal_range(name);
  for (auto entry = first; entry != last && found.size() < most_variants; ++entry) {
    const Object* object = look_at(entry->second);
    if (object != nullptr && object->image.machine == program.machine &&
        object->image.file_class == program.file_class) {
      found.push_back(object);
    }
  }
  if (!found.empty()) return found;
  for (const fs::path& folder : default_folders(program)) {
    if (auto there = candidates(folder, name, program); !there.empty()) return there;
  }
  return {};
}

std::vector<FoundLibrary> LibrarySearch::libraries_of(const fs::path& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  const Object* root = look_at(error ? program : real);
  if (root == nullptr) return {};
  std::vector<FoundLibrary> libraries;
  std::vector<Loaded> loaded = {{root, 0}};
  std::set<std::string> names;
  const auto note = [&](const std::string& name, const std::vector<const Object*>& found,
                        std::size_t loader) {
    if (found.empty()) libraries.push_back({name, {}, "not found"});
    for (const Object* object : found) {
      libraries.push_back({name, object->path, object->identity});
      loaded.push_back({object, loader});
    }
  };
  if (const std::string& interpreter = root->image.interpreter; !interpreter.empty()) {
    names.insert(fs::path(interpreter).filename());
    const Object* object = look_at(interpreter);
    note(interpreter, object != nullptr ? std::vector{object} : std::vector<const Object*>(), 0);
  }
  for (std::size_t next = 0; next < loaded.size() && libraries.size() < most_libraries; ++next) {
    for (const std::string& name : loaded[next].object->image.needed) {
      if (names.insert(name).second) note(name, resolve(name, loaded, next), next);
    }
  }
  return libraries;
}

}  // namespace tandem::builders
