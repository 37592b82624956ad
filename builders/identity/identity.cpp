#include "builders/identity/identity.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "builders/identity/elf.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::builders {

namespace {

constexpr std::size_t shortest = 7;  // git's own abbreviation

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

namespace fs = std::filesystem;
using Ranges = std::vector<FileRange>;

/// Sorted, with overlapping ones made one.
Ranges merged(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(), [](auto a, auto b) { return a.begin < b.begin; });
  Ranges result;
  for (const FileRange& range : ranges) {
    if (range.begin >= range.end) continue;
    if (!result.empty() && range.begin <= result.back().end) {
      result.back().end = std::max(result.back().end, range.end);
    } else {
      result.push_back(range);
    }
  }
  return result;
}

/// Hashes a part of the file apart from the holes, which must be merged. Each hole counts with its length and
/// so with its place: nothing that stands in a file can pass for one.
void add_apart_from(Sha256& hash, std::string_view bytes, FileRange part, const Ranges& holes) {
  std::uint64_t at = part.begin;
  auto hole = std::upper_bound(holes.begin(), holes.end(), part.begin,
                               [](std::uint64_t place, const FileRange& one) { return place < one.end; });
  for (; hole != holes.end() && hole->begin < part.end; ++hole) {
    const std::uint64_t begin = std::max(hole->begin, at);
    const std::uint64_t end = std::min(hole->end, part.end);
    hash.add_field(bytes.substr(at, begin - at));
    hash.add_field(fmt::format("hole {}", end - begin));
    at = end;
  }
  hash.add_field(bytes.substr(at, part.end - at));
  hash.add_field("end");
}

/// Sections that no program looks at when it runs, but tools for debugging do.
bool is_for_tools(const ElfImage::Section& section) {
  constexpr std::array types = {SHT_NULL, SHT_NOBITS, SHT_SYMTAB, SHT_STRTAB,      SHT_REL,
                                SHT_RELA, SHT_NOTE,   SHT_GROUP,  SHT_SYMTAB_SHNDX};
  constexpr std::array<std::string_view, 9> names = {
      ".debug",     ".zdebug", ".comment", ".gnu_debug", ".gnu.build.attributes",
      ".gdb_index", ".stab",   ".llvm",    ".gnu.lto"};
  return std::find(types.begin(), types.end(), static_cast<int>(section.type)) != types.end() ||
         std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return section.name.starts_with(name); });
}

/// Where a commit id may stand that is not code and not a variable.
Ranges read_only_data(const ElfImage& image) {
  Ranges ranges;
  for (const ElfImage::Segment& segment : image.segments) {
    if (segment.type == PT_LOAD && (segment.flags & (PF_W | PF_X)) == 0) ranges.push_back(segment.content);
  }
  // Some linkers put constants and code into one segment; then the sections tell them apart.
  for (const ElfImage::Section& section : image.sections) {
    const bool constant = (section.flags & (SHF_ALLOC | SHF_WRITE | SHF_EXECINSTR)) == SHF_ALLOC;
    if (constant && section.type == SHT_PROGBITS) ranges.push_back(section.content);
  }
  return merged(std::move(ranges));
}

/// Hashes a file that is no program: all of it.
std::string plain_hash(std::string_view bytes, const std::string& commit) {
  Sha256 hash;
  const FileRange all{0, bytes.size()};
  add_apart_from(hash, bytes, all, find_commit_ids(bytes, all, commit));
  return hash.finish();
}

std::string content_hash(std::string_view bytes, const std::string& commit) {
  const auto loadable = loadable_hash(bytes, commit);
  return loadable ? "elf " + *loadable : "plain " + plain_hash(bytes, commit);
}

/// Libraries are the same if they are one file, or if they have the same content.
bool same_libraries(const std::vector<FoundLibrary>& one, const std::vector<FoundLibrary>& other) {
  return std::equal(
      one.begin(), one.end(), other.begin(), other.end(), [](const FoundLibrary& a, const FoundLibrary& b) {
        if (a.name != b.name || a.path.empty() != b.path.empty()) return false;
        return a.path == b.path ||
               content_hash(MappedFile(a.path).bytes(), {}) == content_hash(MappedFile(b.path).bytes(), {});
      });
}

/// Piece by piece, for a stop may come between.
bool same_bytes(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  constexpr std::size_t piece = std::size_t{16} << 20;
  for (std::size_t at = 0; at < one.size(); at += piece) {
    StopScope::give_up_if_stopped();
    if (one.substr(at, piece) != other.substr(at, piece)) return false;
  }
  return true;
}

}  // namespace

std::vector<FileRange> find_commit_ids(std::string_view bytes, FileRange range, const std::string& commit) {
  std::vector<FileRange> found;
  if (commit.size() < shortest || !std::all_of(commit.begin(), commit.end(), is_hex)) return found;
  const std::string_view text = bytes.substr(0, range.end);
  const std::string_view start = std::string_view(commit).substr(0, shortest);
  for (std::size_t at = text.find(start, range.begin); at != std::string_view::npos;
       at = text.find(start, at)) {
    std::size_t end = at;
    // One digit more than a commit id has is enough to see that it is none. The word may go on behind the
    // range, and then it is another one.
    while (end < bytes.size() && end - at <= commit.size() && is_hex(bytes[end])) ++end;
    const bool whole = (at == 0 || !is_hex(bytes[at - 1])) && end <= range.end && end - at <= commit.size() &&
                       bytes.substr(at, end - at) == std::string_view(commit).substr(0, end - at);
    if (whole) found.push_back({at, end});
    at = whole ? end : at + 1;
  }
  return found;
}

std::optional<std::string> loadable_hash(std::string_view bytes, const std::string& commit) {
  const auto image = read_elf(bytes);
  if (!image) return std::nullopt;
  Ranges holes = image->section_pointers;
  holes.insert(holes.end(), image->build_ids.begin(), image->build_ids.end());
  for (const FileRange& range : read_only_data(*image)) {
    const Ranges ids = find_commit_ids(bytes, range, commit);
    holes.insert(holes.end(), ids.begin(), ids.end());
  }
  holes = merged(std::move(holes));

  Sha256 hash;
  hash.add_field(fmt::format("{} {} {} {} {}", image->file_class, image->type, image->machine, image->entry,
                             image->flags));
  Ranges known = image->headers;
  for (const ElfImage::Segment& segment : image->segments) {
    hash.add_field(fmt::format("{} {} {} {} {} {}", segment.type, segment.flags, segment.address,
                               segment.content.end - segment.content.begin, segment.memory_size,
                               segment.alignment));
    known.push_back(segment.content);
    if (segment.type == PT_LOAD) add_apart_from(hash, bytes, segment.content, holes);
  }
  for (const ElfImage::Section& section : image->sections) {
    known.push_back(section.content);
    if ((section.flags & SHF_ALLOC) != 0 || is_for_tools(section)) continue;
    hash.add_field("section " + section.name);
    add_apart_from(hash, bytes, section.content, find_commit_ids(bytes, section.content, commit));
  }
  // Programs that unpack themselves carry what they read behind everything else.
  std::uint64_t end = 0;
  for (const FileRange& range : known) end = std::max(end, range.end);
  const FileRange rest{end, bytes.size()};
  if (bytes.substr(end).find_first_not_of('\0') != std::string_view::npos) {
    add_apart_from(hash, bytes, rest, find_commit_ids(bytes, rest, commit));
  }
  return hash.finish();
}

std::string fingerprint(const Executable& executable) {
  if (!executable.fingerprint.empty()) return executable.fingerprint;
  Sha256 hash;
  hash.add_field("tandem identity 1");
  LibrarySearch search;
  const fs::path directory = fs::canonical(executable.directory);
  for (const ManifestFile& file : executable.manifest) {
    hash.add_field(file.path);
    hash.add_field(fmt::format("{}", static_cast<int>(file.kind)));
    if (file.kind == ManifestFile::Kind::link) {
      hash.add_field(file.sha256);
      continue;
    }
    const fs::path path = directory / file.path;
    hash.add_field(content_hash(MappedFile(path).bytes(), executable.commit));
    for (const FoundLibrary& library : search.libraries_of(path)) {
      // The files of the executable itself are hashed already, and may stand anywhere.
      const fs::path own = library.path.lexically_relative(directory);
      const bool outside = own.empty() || *own.begin() == "..";
      hash.add_field(library.name);
      hash.add_field(outside ? library.path.string() : "own " + own.string());
      if (outside) hash.add_field(library.identity);
    }
  }
  return hash.finish();
}

bool identical_files(const fs::path& one, const fs::path& other) {
  const MappedFile first(one);
  const MappedFile second(other);
  if (!same_bytes(first.bytes(), second.bytes()) &&
      content_hash(first.bytes(), {}) != content_hash(second.bytes(), {})) {
    return false;
  }
  LibrarySearch search;
  return same_libraries(search.libraries_of(one), search.libraries_of(other));
}

bool identical(const Executable& one, const Executable& other) {
  return fingerprint(one) == fingerprint(other);
}

}  // namespace tandem::builders
