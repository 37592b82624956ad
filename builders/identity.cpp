#include "builders/identity.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "builders/hashes.hpp"
#include "runners/descriptor.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, EndElf>;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

template <class Header>
std::vector<Range> section_table_fields() {
  return {{offsetof(Header, e_shoff), offsetof(Header, e_shoff) + sizeof(Header::e_shoff)},
          {offsetof(Header, e_shnum), sizeof(Header)}};
}

/// The parts of the file that differ without the program being another one.
std::vector<Range> ignored_ranges(Elf* elf, const std::vector<GElf_Phdr>& segments) {
  std::vector<Range> ignored = gelf_getclass(elf) == ELFCLASS64 ? section_table_fields<Elf64_Ehdr>()
                                                                : section_table_fields<Elf32_Ehdr>();
  for (const GElf_Phdr& segment : segments) {
    if (segment.p_type != PT_NOTE) continue;
    const auto offset = static_cast<std::int64_t>(segment.p_offset);
    Elf_Data* data =
        elf_getdata_rawchunk(elf, offset, segment.p_filesz, segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (data == nullptr) continue;
    GElf_Nhdr note;
    std::size_t name = 0;
    std::size_t description = 0;
    for (std::size_t next = 0; (next = gelf_getnote(data, next, &note, &name, &description)) > 0;) {
      const std::string_view owner(static_cast<const char*>(data->d_buf) + name,
                                   note.n_namesz > 0 ? note.n_namesz - 1 : 0);
      if (owner != "GNU" || note.n_type != NT_GNU_BUILD_ID) continue;
      ignored.push_back({segment.p_offset + description, segment.p_offset + description + note.n_descsz});
    }
  }
  return ignored;
}

}  // namespace

std::optional<std::string> loadable_hash(const fs::path& file) {
  static const bool ready = elf_version(EV_CURRENT) != EV_NONE;
  const runners::OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!ready || descriptor.get() < 0) return std::nullopt;
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ_MMAP, nullptr));
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) return std::nullopt;
  std::size_t size = 0;
  const char* raw = elf_rawfile(elf.get(), &size);
  std::size_t count = 0;
  if (raw == nullptr || elf_getphdrnum(elf.get(), &count) != 0) return std::nullopt;

  std::vector<GElf_Phdr> segments(count);
  for (std::size_t i = 0; i < count; ++i) {
    const GElf_Phdr* segment = gelf_getphdr(elf.get(), static_cast<int>(i), &segments[i]);
    if (segment == nullptr) return std::nullopt;
    const bool inside = segment->p_offset <= size && segment->p_filesz <= size - segment->p_offset;
    if (!inside) return std::nullopt;
  }
  const std::vector<Range> ignored = ignored_ranges(elf.get(), segments);

  Sha256 hash;
  bool loadable = false;
  for (const GElf_Phdr& segment : segments) {
    hash.add_field(fmt::format("{} {} {} {} {} {} {}", segment.p_type, segment.p_flags, segment.p_vaddr,
                               segment.p_paddr, segment.p_filesz, segment.p_memsz, segment.p_align));
    if (segment.p_type != PT_LOAD) continue;
    loadable = true;
    std::string content(raw + segment.p_offset, segment.p_filesz);
    for (const Range& range : ignored) {
      const std::uint64_t end = segment.p_offset + segment.p_filesz;
      for (std::uint64_t at = std::max(range.begin, segment.p_offset); at < std::min(range.end, end); ++at) {
        content[at - segment.p_offset] = '\0';
      }
    }
    hash.add_field(content);
  }
  return loadable ? std::optional(hash.finish()) : std::nullopt;
}

bool identical_files(const fs::path& one, const fs::path& other) {
  if (sha256_of_file(one) == sha256_of_file(other)) return true;
  const auto first = loadable_hash(one);
  return first && first == loadable_hash(other);
}

bool identical(const Executable& one, const Executable& other) {
  const auto same = [&](const ManifestFile& a, const ManifestFile& b) {
    if (a.path != b.path || a.kind != b.kind) return false;
    if (a.sha256 == b.sha256) return true;
    if (a.kind == ManifestFile::Kind::link) return false;
    const auto first = loadable_hash(one.directory / a.path);
    return first && first == loadable_hash(other.directory / b.path);
  };
  return std::equal(one.manifest.begin(), one.manifest.end(), other.manifest.begin(), other.manifest.end(),
                    same);
}

}  // namespace tandem::builders
