#include "builders/identity/elf.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <tuple>

#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::builders {
namespace {

using Function = ElfFacts::Function;

constexpr std::size_t most_segments = 4096;
constexpr std::size_t most_sections = 65536;
constexpr std::size_t most_dynamic = 65536;
constexpr std::size_t longest_name = 65536;

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, EndElf>;

/// Nothing if the bytes are no ELF file.
ElfHandle open_elf(std::string_view bytes) {
  static const bool ready = elf_version(EV_CURRENT) != EV_NONE;
  if (!ready || bytes.size() < SELFMAG || bytes.substr(0, SELFMAG) != ELFMAG) return nullptr;
  // libelf only reads what it is given so.
  ElfHandle elf(elf_memory(const_cast<char*>(bytes.data()), bytes.size()));
  return elf != nullptr && elf_kind(elf.get()) == ELF_K_ELF ? std::move(elf) : nullptr;
}

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

void read_interpreter(std::string_view bytes, ElfImage& image) {
  for (const ElfImage::Segment& segment : image.segments) {
    if (segment.type != PT_INTERP) continue;
    const std::uint64_t size = segment.content.end - segment.content.begin;
    const std::string_view text =
        bytes.substr(segment.content.begin, std::min<std::uint64_t>(size, longest_name));
    image.interpreter = text.substr(0, text.find('\0'));
  }
}

void read_dynamic(Elf* elf, std::string_view bytes, ElfImage& image) {
  for (const ElfImage::Segment& segment : image.segments) {
    if (segment.type != PT_DYNAMIC) continue;
    Elf_Data* data = elf_getdata_rawchunk(elf, static_cast<std::int64_t>(segment.content.begin),
                                          segment.content.end - segment.content.begin, ELF_T_DYN);
    if (data == nullptr) continue;
    std::uint64_t strings = 0;
    std::vector<GElf_Dyn> named;
    GElf_Dyn entry;
    for (std::size_t i = 0; i < most_dynamic; ++i) {
      if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_FLAGS_1) {
        image.position_independent_program = (entry.d_un.d_val & DF_1_PIE) != 0;
      }
      if (entry.d_tag == DT_NEEDED || entry.d_tag == DT_SONAME || entry.d_tag == DT_RPATH ||
          entry.d_tag == DT_RUNPATH) {
        named.push_back(entry);
      }
    }
    for (const GElf_Dyn& one : named) {
      std::string text = text_at(image, bytes, strings + one.d_un.d_val);
      if (one.d_tag == DT_SONAME)
        image.soname = std::move(text);
      else if (one.d_tag == DT_RPATH)
        image.rpath = std::move(text);
      else if (one.d_tag == DT_RUNPATH)
        image.runpath = std::move(text);
      else if (!text.empty() && image.needed.size() < most_segments)
        image.needed.push_back(std::move(text));
    }
  }
}

std::optional<ElfImage> image_of(Elf* elf, std::string_view bytes) {
  ElfImage image;
  if (!read_header(elf, bytes, image) || !read_segments(elf, bytes, image)) return std::nullopt;
  read_sections(elf, bytes, image);
  read_build_ids(elf, image);
  read_interpreter(bytes, image);
  read_dynamic(elf, bytes, image);
  return image;
}

/// Calls `each` with the name and symbol of every function that a symbol table defines.
template <class Each>
void for_each_function(Elf* elf, Elf_Data* data, const GElf_Shdr& header, const Each& each) {
  if (header.sh_entsize == 0) return;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) return;
    const int type = GELF_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    each(std::string(name == nullptr ? "" : name), symbol);
  }
}

/// Functions by address, exported names sorted.
void read_functions(Elf* elf, ElfFacts& facts) {
  std::vector<std::string> exports;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return;
    if (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    for_each_function(elf, data, header, [&](const std::string& name, const GElf_Sym& symbol) {
      if (header.sh_type == SHT_DYNSYM) {
        exports.push_back(fmt::format("exports {} of {} bytes", name, symbol.st_size));
      } else {
        facts.functions.push_back({name, symbol.st_value, symbol.st_size});
      }
    });
    if (header.sh_type == SHT_SYMTAB) facts.has_symbols = true;
  }
  std::sort(facts.functions.begin(), facts.functions.end(), [](const Function& a, const Function& b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  std::sort(exports.begin(), exports.end());
  facts.dynamic.insert(facts.dynamic.end(), exports.begin(), exports.end());
}

void read_section_facts(const ElfImage& image, std::string_view bytes, ElfFacts& facts) {
  static constexpr std::array fixed = {".init_array", ".fini_array", ".eh_frame", ".rela.plt", ".tdata"};
  Sha256 code;
  for (const ElfImage::Section& section : image.sections) {
    const std::uint64_t size = section.content.end - section.content.begin;
    if (std::find(fixed.begin(), fixed.end(), section.name) != fixed.end()) {
      facts.fixed_sizes.emplace_back(section.name, size);
    }
    if (section.name.starts_with(".debug_")) facts.has_debug = true;
    if (section.type == SHT_PROGBITS && (section.flags & SHF_EXECINSTR) != 0) {
      code.add_field(bytes.substr(section.content.begin, size));
    }
  }
  facts.code = code.finish();
}

/// Compilers put these into every program; where they lie says nothing about the program.
constexpr std::array start_up_functions = {"_start",
                                           "_init",
                                           "_fini",
                                           "deregister_tm_clones",
                                           "register_tm_clones",
                                           "__do_global_dtors_aux",
                                           "frame_dummy",
                                           "_dl_relocate_static_pie"};

std::vector<std::pair<std::string, std::uint64_t>> names_and_sizes(const ElfFacts& facts) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const Function& function : facts.functions) all.emplace_back(function.name, function.size);
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<std::string> own_order(const ElfFacts& facts) {
  std::vector<std::string> names;
  for (const Function& function : facts.functions) {
    const auto& skipped = start_up_functions;
    if (std::find(skipped.begin(), skipped.end(), function.name) == skipped.end()) {
      names.push_back(function.name);
    }
  }
  return names;
}

}  // namespace

std::optional<ElfImage> read_elf(std::string_view bytes) {
  const ElfHandle elf = open_elf(bytes);
  return elf == nullptr ? std::nullopt : image_of(elf.get(), bytes);
}

std::string build_id_of(const ElfImage& image, std::string_view bytes) {
  std::string digits;
  for (const FileRange& id : image.build_ids) {
    for (const char byte : bytes.substr(id.begin, id.end - id.begin)) {
      digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
  }
  return digits;
}

std::optional<ElfFacts> elf_facts(const std::filesystem::path& file) {
  const MappedFile mapped(file);
  const ElfHandle elf = open_elf(mapped.bytes());
  const auto image = elf == nullptr ? std::nullopt : image_of(elf.get(), mapped.bytes());
  if (!image || (image->type != ET_EXEC && image->type != ET_DYN)) return std::nullopt;

  ElfFacts facts;
  const bool library =
      image->type == ET_DYN && image->interpreter.empty() && !image->position_independent_program;
  facts.kind = library ? ElfFacts::Kind::library : ElfFacts::Kind::program;
  facts.build_id = build_id_of(*image, mapped.bytes());
  // Libraries are searched in the order they are named in; exported names, which come last, have none.
  for (const std::string& name : image->needed) facts.dynamic.push_back("needs " + name);
  const auto tell = [&](std::string_view what, const std::string& text) {
    if (!text.empty()) facts.dynamic.push_back(std::string(what) + text);
  };
  tell("is called ", image->soname);
  tell(ElfFacts::old_search_path, image->rpath);
  tell(ElfFacts::search_path, image->runpath);
  read_section_facts(*image, mapped.bytes(), facts);
  read_functions(elf.get(), facts);
  return facts;
}

std::optional<std::string> other_program(const ElfFacts& built, const ElfFacts& relinked) {
  if (built.kind != relinked.kind) return "it is another kind of file";
  if (built.dynamic != relinked.dynamic) {
    const auto [one, other] = std::mismatch(built.dynamic.begin(), built.dynamic.end(),
                                            relinked.dynamic.begin(), relinked.dynamic.end());
    return one != built.dynamic.end() ? fmt::format("as built it {}, which is now different", *one)
                                      : fmt::format("it {}, which it did not as built", *other);
  }
  if (built.fixed_sizes != relinked.fixed_sizes) {
    return "sections that hold no function have another size than as built";
  }
  if (names_and_sizes(built) != names_and_sizes(relinked)) {
    return "it does not define the same functions as built";
  }
  return std::nullopt;
}

std::optional<std::string> same_order(const ElfFacts& built, const ElfFacts& relinked) {
  if (built.functions.empty()) {
    if (built.code != relinked.code) return std::nullopt;
    return "its code is the same in every order";
  }
  const std::vector<std::string> order = own_order(built);
  if (order.size() < 2) return "it has one function only, which has no order";
  if (order != own_order(relinked)) return std::nullopt;
  return "its functions keep their order, as without -ffunction-sections";
}

}  // namespace tandem::builders
