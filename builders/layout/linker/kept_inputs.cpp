#include "builders/layout/linker/link_record.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {

namespace {

constexpr std::size_t block = 512;

[[noreturn]] void refuse() {
  throw std::runtime_error("the archive that lld wrote is not whole");
}

std::string_view field(std::string_view header, std::size_t at, std::size_t length) {
  const std::string_view all = header.substr(at, length);
  return all.substr(0, all.find('\0'));
}

std::size_t octal(std::string_view digits) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc{} || end != digits.data() + digits.size()) refuse();
  return value;
}

/// The path in a pax header: records "length key=value\n", the length being that of the whole record.
std::string path_in(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (error != std::errc{} || length > records.size() || length < digits + 2) refuse();
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with("path=")) return std::string(record.substr(5));
    records.remove_prefix(length);
  }
  refuse();
}

}  // namespace

void for_each_entry(std::string_view archive,
                    const std::function<void(const std::string& path, std::string_view content)>& entry) {
  std::string long_path;
  while (archive.size() >= block) {
    const std::string_view header = archive.substr(0, block);
    if (header.find_first_not_of('\0') == std::string_view::npos) return;  // the end is two empty blocks
    if (field(header, 257, 6) != "ustar") refuse();
    const std::size_t size = octal(field(header, 124, 12));
    const char type = header[156];
    archive.remove_prefix(block);
    if (size > archive.size()) refuse();
    const std::string_view content = archive.substr(0, size);
    if (type == 'x') {
      long_path = path_in(content);
    } else if (type == '0' || type == '\0') {
      std::string path(field(header, 0, 100));
      const std::string_view prefix = field(header, 345, 155);
      if (!prefix.empty()) path = std::string(prefix) + "/" + path;
      entry(long_path.empty() ? path : long_path, content);
      long_path.clear();
    } else {
      refuse();
    }
    const std::size_t padded = (size + block - 1) / block * block;
    if (padded > archive.size()) refuse();
    archive.remove_prefix(padded);
  }
  refuse();
}

namespace {

namespace fs = std::filesystem;

/// A regular file in memory, for as long as this lives.
class Mapped {
 public:
  explicit Mapped(const fs::path& file) {
    const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) return;
    if (!S_ISREG(status.st_mode)) return;
    const auto size = static_cast<std::size_t>(status.st_size);
    void* at = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
    if (at != MAP_FAILED) text_ = {static_cast<const char*>(at), size};
  }
  ~Mapped() {
    // The view is constant, the mapping that it names is this object's own.
    if (!text_.empty()) ::munmap(const_cast<char*>(text_.data()), text_.size());
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

bool is_of_system(const std::string& path, std::string_view content) {
  for (const std::string_view place : {"usr/", "lib/", "lib32/", "lib64/", "libx32/"}) {
    if (path.starts_with(place)) return Mapped("/" + path).text() == content;
  }
  return false;
}

void store(const fs::path& file, std::string_view content) {
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

bool holds_gcc_code(std::string_view content) {
  // The name of each such section stands in the object's table of names.
  constexpr std::string_view section = ".gnu.lto_";
  const bool object =
      content.starts_with(ELFMAG) && content.size() > EI_NIDENT && content[EI_NIDENT] == ET_REL;
  const bool linkable = object || content.starts_with("!<arch>");
  return linkable && ::memmem(content.data(), content.size(), section.data(), section.size()) != nullptr;
}

template <class Header>
std::optional<Header> header_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Header)) return std::nullopt;
  Header header;
  std::memcpy(&header, file.data() + offset, sizeof header);
  return header;
}

std::string hexadecimal(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

void keep_inputs(const fs::path& archive, const fs::path& directory, LinkRecord& record) {
  const Mapped mapped(archive);
  for_each_entry(mapped.text(), [&](const std::string& entry, std::string_view content) {
    // All entries lie below one folder, which has the archive's name.
    const std::string path = entry.substr(entry.find('/') + 1);
    if (path == "version.txt") return;
    if (path == "response.txt") {
      store(directory / arguments_name, content);
    } else if (is_of_system(path, content)) {
      record.system.push_back(path);
    } else {
      if (holds_gcc_code(content)) record.reason = gcc_lto_reason;
      store(directory / std::to_string(record.inputs.size()), content);
      record.inputs.push_back(path);
    }
  });
}

std::string build_id_of(const fs::path& path) {
  const Mapped mapped(path);
  const std::string_view file = mapped.text();
  const auto start = header_at<Elf64_Ehdr>(file, 0);
  if (!start || !file.starts_with(ELFMAG) || start->e_ident[EI_CLASS] != ELFCLASS64) return {};
  for (unsigned i = 0; i < start->e_phnum; ++i) {
    const auto segment = header_at<Elf64_Phdr>(file, start->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return {};
    if (segment->p_type != PT_NOTE || segment->p_offset > file.size()) continue;
    std::string_view notes = file.substr(segment->p_offset, segment->p_filesz);
    // Names and descriptions are padded to the alignment of their segment, 4 or 8.
    const std::uint64_t align = segment->p_align == 8 ? 8 : 4;
    const auto padded = [&](std::uint64_t size) { return (size + align - 1) / align * align; };
    while (const auto note = header_at<Elf64_Nhdr>(notes, 0)) {
      const std::uint64_t description = padded(sizeof *note + note->n_namesz);
      const std::uint64_t next = padded(description + note->n_descsz);
      if (description > notes.size() || notes.size() - description < note->n_descsz) break;
      const bool by_gnu = notes.substr(sizeof *note, note->n_namesz) == std::string_view("GNU\0", 4);
      if (by_gnu && note->n_type == NT_GNU_BUILD_ID) {
        return hexadecimal(notes.substr(description, note->n_descsz));
      }
      if (next >= notes.size()) break;
      notes.remove_prefix(next);
    }
  }
  return {};
}

bool needs_gcc_plugin(const fs::path& file) {
  return holds_gcc_code(Mapped(file).text());
}

}  // namespace tandem::builders
