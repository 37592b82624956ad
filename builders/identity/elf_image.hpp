#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  std::string rpath;
  std::string runpath;
};

/// Nothing if the bytes are no sound ELF file with something to load. Takes any bytes.
[[nodiscard]] std::optional<ElfImage> read_elf(std::string_view bytes);

}  // namespace tandem::builders
