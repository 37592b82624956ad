#include "builders/identity/elf_facts.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <system_error>
#include <tuple>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using Function = ElfFacts::Function;

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, EndElf>;

/// Compilers put these into every program; where they lie says nothing about the program.
constexpr std::array start_up_functions = {"_start",
                                           "_init",
                                           "_fini",
                                           "deregister_tm_clones",
                                           "register_tm_clones",
                                           "__do_global_dtors_aux",
                                           "frame_dummy",
                                           "_dl_relocate_static_pie"};

std::string_view text_of(const Elf_Data* data) {
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

void read_notes(Elf_Data* data, ElfFacts& facts) {
  GElf_Nhdr note;
  std::size_t name = 0;
  std::size_t description = 0;
  for (std::size_t next = 0; (next = gelf_getnote(data, next, &note, &name, &description)) > 0;) {
    const std::string_view all = text_of(data);
    const bool by_gnu = all.substr(name, note.n_namesz) == std::string_view("GNU\0", 4);
    if (!by_gnu || note.n_type != NT_GNU_BUILD_ID || !facts.build_id.empty()) continue;
    for (const char c : all.substr(description, note.n_descsz)) {
      facts.build_id += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
  }
}

std::string string_at(Elf* elf, std::size_t table, std::size_t offset) {
  const char* text = elf_strptr(elf, table, offset);
  return text == nullptr ? std::string() : std::string(text);
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
    each(string_at(elf, header.sh_link, symbol.st_name), symbol);
  }
}

void read_dynamic(Elf* elf, Elf_Data* data, const GElf_Shdr& header, ElfFacts& facts) {
  static constexpr std::array named = {
      std::pair{DT_NEEDED, std::string_view("needs ")}, std::pair{DT_SONAME, std::string_view("is called ")},
      std::pair{DT_RPATH, ElfFacts::old_search_path}, std::pair{DT_RUNPATH, ElfFacts::search_path}};
  if (header.sh_entsize == 0) return;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) return;
    for (const auto& [tag, what] : named) {
      if (entry.d_tag != tag) continue;
      facts.dynamic.push_back(fmt::format("{}{}", what, string_at(elf, header.sh_link, entry.d_un.d_val)));
    }
    if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) facts.kind = ElfFacts::Kind::program;
  }
}

void read_section(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::string& name,
                  ElfFacts& facts, Sha256& code) {
  Elf_Data* data = header.sh_type == SHT_NOBITS ? nullptr : elf_getdata(section, nullptr);
  static constexpr std::array fixed = {".init_array", ".fini_array", ".eh_frame", ".rela.plt", ".tdata"};
  if (std::find(fixed.begin(), fixed.end(), name) != fixed.end()) {
    facts.fixed_sizes.emplace_back(name, header.sh_size);
  }
  if (name.starts_with(".debug_")) facts.has_debug = true;
  if (data == nullptr) return;
  if (header.sh_type == SHT_NOTE) read_notes(data, facts);
  if (header.sh_type == SHT_DYNAMIC) read_dynamic(elf, data, header, facts);
  if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_EXECINSTR) != 0) code.add_field(text_of(data));
  if (header.sh_type == SHT_DYNSYM) {
    for_each_function(elf, data, header, [&](const std::string& function, const GElf_Sym& symbol) {
      facts.dynamic.push_back(fmt::format("exports {} of {} bytes", function, symbol.st_size));
    });
  }
  if (header.sh_type == SHT_SYMTAB) {
    facts.has_symbols = true;
    for_each_function(elf, data, header, [&](const std::string& function, const GElf_Sym& symbol) {
      facts.functions.push_back({function, symbol.st_value, symbol.st_size});
    });
  }
}

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

std::optional<ElfFacts> elf_facts(const fs::path& file) {
  static const bool ready = elf_version(EV_CURRENT) != EV_NONE;
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!ready || descriptor.get() < 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read " + file.string());
  }
  const ElfHandle elf(elf_begin(descriptor.get(), ELF_C_READ_MMAP, nullptr));
  GElf_Ehdr start;
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &start) == nullptr) {
    return std::nullopt;
  }
  if (start.e_type != ET_EXEC && start.e_type != ET_DYN) return std::nullopt;

  ElfFacts facts;
  if (start.e_type == ET_DYN) facts.kind = ElfFacts::Kind::library;
  std::size_t segments = 0;
  std::size_t names = 0;
  if (elf_getphdrnum(elf.get(), &segments) != 0 || elf_getshdrstrndx(elf.get(), &names) != 0) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf.get(), static_cast<int>(i), &segment) == nullptr) return std::nullopt;
    if (segment.p_type == PT_INTERP) facts.kind = ElfFacts::Kind::program;
  }
  Sha256 code;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) return std::nullopt;
    read_section(elf.get(), section, header, string_at(elf.get(), names, header.sh_name), facts, code);
  }
  facts.code = code.finish();
  std::sort(facts.functions.begin(), facts.functions.end(), [](const Function& a, const Function& b) {
    return std::tie(a.address, a.name) < std::tie(b.address, b.name);
  });
  // Libraries are searched in the order they are named in; exported names have none.
  const auto exports = std::stable_partition(facts.dynamic.begin(), facts.dynamic.end(),
                                             [](const auto& line) { return !line.starts_with("exports"); });
  std::sort(exports, facts.dynamic.end());
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
