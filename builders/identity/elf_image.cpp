#include "builders/identity/elf_image.hpp"

#include <elf.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstddef>
#include <memory>

namespace tandem::builders {
namespace {

constexpr std::size_t most_segments = 4096;
constexpr std::size_t most_sections = 65536;
constexpr std::size_t most_dynamic = 65536;
constexpr std::size_t longest_name = 65536;

struct EndImage {
  void operator()(Elf* elf) const { elf_end(elf); }
};

bool inside_image(std::uint64_t offset, std::uint64_t size, std::string_view bytes) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

FileRange field(std::size_t offset, std::size_t size) {
  return {offset, offset + size};
}

template <class Header>
std::vector<FileRange> section_pointers() {
  return {field(offsetof(Header, e_shoff), sizeof(Header::e_shoff)),
          field(offsetof(Header, e_shnum), sizeof(Header) - offsetof(Header, e_shnum))};
}

bool read_header(Elf* elf, std::string_view bytes, ElfImage& image) {
  GElf_Ehdr header;
  if (gelf_getehdr(elf, &header) == nullptr) return false;
  image.file_class = gelf_getclass(elf);
  image.type = header.e_type;
  image.machine = header.e_machine;
  image.entry = header.e_entry;
  image.flags = header.e_flags;
  image.section_pointers =
      image.file_class == ELFCLASS64 ? section_pointers<Elf64_Ehdr>() : section_pointers<Elf32_Ehdr>();
  image.headers.push_back({0, std::min<std::uint64_t>(header.e_ehsize, bytes.size())});
  const std::uint64_t programs = std::uint64_t{header.e_phnum} * header.e_phentsize;
  if (inside_image(header.e_phoff, programs, bytes)) {
    image.headers.push_back({header.e_phoff, header.e_phoff + programs});
  }
  std::size_t count = 0;
  if (header.e_shoff == 0 || elf_getshdrnum(elf, &count) != 0 || count > most_sections) return true;
  const std::uint64_t sections = std::uint64_t{count} * header.e_shentsize;
  if (inside_image(header.e_shoff, sections, bytes)) {
    image.headers.push_back({header.e_shoff, header.e_shoff + sections});
  }
  return true;
}

bool read_segments(Elf* elf, std::string_view bytes, ElfImage& image) {
  std::size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0 || count > most_segments) return false;
  std::uint64_t loaded = 0;
  bool loadable = false;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) return false;
    if (!inside_image(header.p_offset, header.p_filesz, bytes)) return false;
    if (header.p_type == PT_LOAD) {
      loadable = true;
      loaded += header.p_filesz;
    }
    image.segments.push_back({header.p_type,
                              header.p_flags,
                              header.p_vaddr,
                              header.p_memsz,
                              header.p_align,
                              {header.p_offset, header.p_offset + header.p_filesz}});
  }
  // A linker lets neighbours share a page; a file that loads its bytes again and again would only cost time.
  return loadable && loaded <= 2 * static_cast<std::uint64_t>(bytes.size());
}

void read_sections(Elf* elf, std::string_view bytes, ElfImage& image) {
  std::size_t names = 0;
  std::size_t count = 0;
  if (elf_getshdrstrndx(elf, &names) != 0 || elf_getshdrnum(elf, &count) != 0 || count > most_sections)
    return;
  std::uint64_t total = 0;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    const bool empty = header.sh_type == SHT_NOBITS || header.sh_type == SHT_NULL;
    if (!empty && !inside_image(header.sh_offset, header.sh_size, bytes)) continue;
    if (!empty && (total += header.sh_size) > 2 * static_cast<std::uint64_t>(bytes.size())) {
      image.sections.clear();  // As with segments; and without sections nothing is left out.
      return;
    }
    image.sections.push_back(
        {name != nullptr ? name : "", header.sh_type, header.sh_flags,
         empty ? FileRange{} : FileRange{header.sh_offset, header.sh_offset + header.sh_size}});
  }
}

void read_build_ids(Elf* elf, ElfImage& image) {
  for (const ElfImage::Segment& segment : image.segments) {
    if (segment.type != PT_NOTE) continue;
    Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.content.begin),
                                          segment.content.end - segment.content.begin,
                                          segment.alignment == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (data == nullptr) continue;
    GElf_Nhdr note;
    std::size_t name = 0;
    std::size_t description = 0;
    for (std::size_t next = 0; (next = gelf_getnote(data, next, &note, &name, &description)) > 0;) {
      const std::string_view owner(static_cast<const char*>(data->d_buf) + name,
                                   note.n_namesz > 0 ? note.n_namesz - 1 : 0);
      if (owner != "GNU" || note.n_type != NT_GNU_BUILD_ID) continue;
      image.build_ids.push_back(field(segment.content.begin + description, note.n_descsz));
    }
  }
}

/// The zero-terminated text at an address that the loader would use; empty if there is none.
std::string text_at(const ElfImage& image, std::string_view bytes, std::uint64_t address) {
  for (const ElfImage::Segment& segment : image.segments) {
    const std::uint64_t size = segment.content.end - segment.content.begin;
    if (segment.type != PT_LOAD || address < segment.address || address - segment.address >= size) continue;
    const std::uint64_t at = segment.content.begin + (address - segment.address);
    const std::string_view rest =
        bytes.substr(at, std::min<std::uint64_t>(segment.content.end - at, longest_name));
    return std::string(rest.substr(0, rest.find('\0')));
  }
  return {};
}

void read_dynamic_ranges(Elf* elf, std::string_view bytes, ElfImage& image) {
  for (const ElfImage::Segment& segment : image.segments) {
    const std::uint64_t size = segment.content.end - segment.content.begin;
    if (segment.type == PT_INTERP) {
      const std::string_view text =
          bytes.substr(segment.content.begin, std::min<std::uint64_t>(size, longest_name));
      image.interpreter = text.substr(0, text.find('\0'));
    }
    if (segment.type != PT_DYNAMIC) continue;
    Elf_Data* data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.content.begin), size, ELF_T_DYN);
    if (data == nullptr) continue;
    std::uint64_t strings = 0;
    std::vector<GElf_Dyn> wanted;
    GElf_Dyn entry;
    for (std::size_t i = 0; i < most_dynamic; ++i) {
      if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_NEEDED || entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) {
        wanted.push_back(entry);
      }
    }
    for (const GElf_Dyn& one : wanted) {
      std::string text = text_at(image, bytes, strings + one.d_un.d_val);
      if (one.d_tag == DT_RPATH)
        image.rpath = std::move(text);
      else if (one.d_tag == DT_RUNPATH)
        image.runpath = std::move(text);
      else if (!text.empty() && image.needed.size() < most_segments)
        image.needed.push_back(std::move(text));
    }
  }
}

}  // namespace

std::optional<ElfImage> read_elf(std::string_view bytes) {
  static const bool ready = elf_version(EV_CURRENT) != EV_NONE;
  if (!ready || bytes.size() < SELFMAG || bytes.substr(0, SELFMAG) != ELFMAG) return std::nullopt;
  // libelf only reads what it is given so.
  const std::unique_ptr<Elf, EndImage> elf(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF) return std::nullopt;
  ElfImage image;
  if (!read_header(elf.get(), bytes, image) || !read_segments(elf.get(), bytes, image)) return std::nullopt;
  read_sections(elf.get(), bytes, image);
  read_build_ids(elf.get(), image);
  read_dynamic_ranges(elf.get(), bytes, image);
  return image;
}

}  // namespace tandem::builders
