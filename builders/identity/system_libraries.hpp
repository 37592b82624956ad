#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builders/identity/elf_image.hpp"

namespace tandem::builders {

/// A shared library that a program needs, directly or through another one, as the loader would find it now.
struct FoundLibrary {
  std::string name;
  std::filesystem::path path;  ///< empty: not found
  std::string identity;        ///< build id, else size and time of change
};

/// Looks for libraries as ld.so does: DT_RPATH, DT_RUNPATH with $ORIGIN, /etc/ld.so.cache, the default
/// directories. LD_LIBRARY_PATH belongs to the environment of a run and relative paths to its directory;
/// neither is known here. Where the loader would choose by the processor, all that it might choose are given.
class LibrarySearch {
 public:
  explicit LibrarySearch(const std::filesystem::path& loader_cache = "/etc/ld.so.cache");

  /// The program's interpreter and every library, in the order in which they are found. Empty for what is no
  /// ELF file.
  [[nodiscard]] std::vector<FoundLibrary> libraries_of(const std::filesystem::path& program);

 private:
  struct Object {
    std::filesystem::path path;
    ElfImage image;
    std::string identity;
  };
  struct Loaded {
    const Object* object = nullptr;
    std::size_t loader = 0;  ///< index of the one that needed it; the program's is its own
  };
  const Object* look_at(const std::filesystem::path& path);
  std::vector<const Object*> candidates(const std::filesystem::path& folder, const std::string& name,
                                        const ElfImage& for_program);
  std::vector<const Object*> resolve(const std::string& name, const std::vector<Loaded>& loaded,
                                     std::size_t loader);

  std::multimap<std::string, std::filesystem::path> cached_;
  std::map<std::filesystem::path, std::optional<Object>> seen_;
};

/// The libraries by name that the loader's cache knows; empty if the bytes are no such cache. Takes any
/// bytes.
[[nodiscard]] std::multimap<std::string, std::filesystem::path> read_loader_cache(std::string_view bytes);

}  // namespace tandem::builders
