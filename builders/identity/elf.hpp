#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::builders {

/// Bytes of a file, from `begin` up to but not including `end`.
struct FileRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What an ELF file says of itself. Every range lies inside the file.
struct ElfImage {
  struct Segment {
    std::uint32_t type = 0;
    std::uint32_t flags = 0;
    std::uint64_t address = 0;
    std::uint64_t memory_size = 0;
    std::uint64_t alignment = 0;
    FileRange content;
  };
  struct Section {
    std::string name;
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    FileRange content;  ///< empty for one without bytes in the file
  };

  int file_class = 0;  ///< ELFCLASS32 or ELFCLASS64
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint64_t entry = 0;
  std::uint32_t flags = 0;
  std::vector<Segment> segments;
  std::vector<Section> sections;            ///< empty if they were stripped or cannot be read
  std::vector<FileRange> headers;           ///< file header and the two tables
  std::vector<FileRange> section_pointers;  ///< where the file header tells of the section table
  std::vector<FileRange> build_ids;
  std::string interpreter;
  std::vector<std::string> needed;  ///< names of shared libraries, in their order
  std::string soname;
  std::string rpath;
  std::string runpath;
  bool position_independent_program = false;  ///< as its dynamic section says
};

/// Nothing if the bytes are no sound ELF file with something to load. Takes any bytes.
[[nodiscard]] std::optional<ElfImage> read_elf(std::string_view bytes);

/// In hexadecimal digits; empty if it has none.
[[nodiscard]] std::string build_id_of(const ElfImage& image, std::string_view bytes);

/// What can be read from a program or shared library in ELF format without running it.
struct ElfFacts {
  enum class Kind { program, library } kind = Kind::program;
  std::string build_id;  ///< hexadecimal digits; empty if it has none

  struct Function {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  std::vector<Function> functions;  ///< that it defines, by address; empty if its symbols were stripped
  bool has_symbols = false;
  bool has_debug = false;

  std::vector<std::string> dynamic;  ///< needed libraries, own name, search paths, exported names
  static constexpr std::string_view old_search_path = "searches first ";  ///< how such a line begins
  static constexpr std::string_view search_path = "searches ";
  std::vector<std::pair<std::string, std::uint64_t>> fixed_sizes;  ///< of sections that no order changes
  std::string code;                                                ///< SHA-256 of what can be executed
};

/// Nothing if the file is not a sound ELF program or shared library. Throws std::system_error if it cannot
/// be read.
[[nodiscard]] std::optional<ElfFacts> elf_facts(const std::filesystem::path& file);

/// A sentence if `relinked` is not the same program as `built` in another order; nothing if it is: it needs
/// and exports the same, and defines the same functions with the same sizes.
[[nodiscard]] std::optional<std::string> other_program(const ElfFacts& built, const ElfFacts& relinked);

/// A sentence if the functions (or, without symbols, the code) stand in one and the same order.
[[nodiscard]] std::optional<std::string> same_order(const ElfFacts& built, const ElfFacts& relinked);

}  // namespace tandem::builders
