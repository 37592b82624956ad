#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builders/executable.hpp"
#include "builders/identity/elf.hpp"

namespace tandem::builders {

/// Where the text within `range` of the bytes names the commit: whole words of hexadecimal digits that are
/// the commit id or a beginning of it with at least 7 digits. In their order. Nothing else is ever found, so
/// that two programs are not called the same for anything but their own names.
[[nodiscard]] std::vector<FileRange> find_commit_ids(std::string_view bytes, FileRange range,
                                                     const std::string& commit);

/// SHA-256 of everything that is run: two executables with equal fingerprints run the same code on this host.
///
/// It covers every file of the manifest with its path and kind, and the system libraries that the programs
/// find. Of programs and shared libraries in ELF format it covers what is loaded and what they may read of
/// themselves; the build id, symbol tables and debug information do not count. Where a file names the
/// executable's own commit, only that it does so at this place counts. The one kept with the executable, if
/// there is one; otherwise it is computed. Throws std::system_error if a file cannot be read.
[[nodiscard]] std::string fingerprint(const Executable& executable);

/// Whether nothing that is run differs.
[[nodiscard]] bool identical(const Executable& one, const Executable& other);

/// The same for two single files, with the libraries they find. Throws std::system_error if one cannot be
/// read.
[[nodiscard]] bool identical_files(const std::filesystem::path& one, const std::filesystem::path& other);

/// SHA-256 of what counts in an ELF file. Nothing if the bytes are not a sound one with loadable segments.
/// Takes any bytes.
[[nodiscard]] std::optional<std::string> loadable_hash(std::string_view bytes,
                                                       const std::string& commit = {});

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
