#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "builders/git/repository.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::git {
namespace {

namespace fs = std::filesystem;

/// The object stores that make up one: itself and, through info/alternates, others.
bool collect_stores(const fs::path& store, std::vector<fs::path>& stores) {
  constexpr std::size_t most = 16;
  std::error_code error;
  const fs::path real = fs::canonical(store, error);
  if (error || stores.size() == most) return false;
  if (std::find(stores.begin(), stores.end(), real) != stores.end()) return true;
  stores.push_back(real);
  std::ifstream alternates(real / "info" / "alternates");
  for (std::string line; std::getline(alternates, line);) {
    if (line.empty() || line.front() == '#') continue;
    if (!collect_stores(real / line, stores)) return false;
  }
  return true;
}

std::set<fs::path> files_in(const fs::path& directory) {
  std::set<fs::path> names;
  for (const fs::path& path : paths_in(directory)) names.insert(path.filename());
  return names;
}

bool bring_object(const fs::path& from, const fs::path& to) {
  if (::link(from.c_str(), to.c_str()) == 0 || errno == EEXIST) return true;
  std::error_code error;
  return fs::copy_file(from, to, error);
}

bool ends_properly(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  z_stream inflater{};
  if (::inflateInit(&inflater) != Z_OK) return false;
  std::array<char, 16384> compressed{};
  std::array<unsigned char, 65536> plain{};
  int code = Z_OK;
  while (code == Z_OK && stream) {
    stream.read(compressed.data(), compressed.size());
    inflater.next_in = reinterpret_cast<unsigned char*>(compressed.data());
    inflater.avail_in = static_cast<unsigned>(stream.gcount());
    while (code == Z_OK && inflater.avail_in > 0) {
      inflater.next_out = plain.data();
      inflater.avail_out = plain.size();
      code = ::inflate(&inflater, Z_NO_FLUSH);
    }
  }
  ::inflateEnd(&inflater);
  return code == Z_STREAM_END;
}

/// A repack writes the new pack first and deletes the old files afterwards. Hence whatever has left the loose
/// objects by the time they are listed is in a pack that is listed later.
bool bring_store(const fs::path& from, const fs::path& to) {
  for (const fs::path& object : single_objects(from)) {
    const fs::path target = to / object.lexically_relative(from);
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (!bring_object(object, target) && fs::exists(object, error)) return false;
  }
  const std::set<fs::path> names = files_in(from / "pack");
  const auto holds_a_part = [](const fs::path& name) { return name.extension() == ".promisor"; };
  if (std::any_of(names.begin(), names.end(), holds_a_part)) return false;
  // An index makes its pack visible, so it comes after it.
  for (const char* kind : {".pack", ".idx"}) {
    for (const fs::path& name : names) {
      if (name.extension() != kind) continue;
      if (!bring_object(from / "pack" / name, to / "pack" / name)) return false;
    }
  }
  return names == files_in(from / "pack");
}

}  // namespace

std::vector<fs::path> single_objects(const fs::path& objects) {
  const auto has_digits = [](const std::string& name, std::size_t count) {
    return name.size() == count && is_lower_hex(name);
  };
  std::vector<fs::path> found;
  for (const fs::path& folder : files_in(objects)) {
    if (!has_digits(folder, 2)) continue;
    for (const fs::path& name : files_in(objects / folder)) {
      if (has_digits(name, GIT_OID_HEXSZ - 2)) found.push_back(objects / folder / name);
    }
  }
  return found;
}

fs::path find_cut_object(const fs::path& objects) {
  for (const fs::path& file : single_objects(objects)) {
    if (!ends_properly(file)) return file;
  }
  return {};
}

bool seed_objects(const fs::path& from, const fs::path& to) {
  std::vector<fs::path> stores;
  if (!collect_stores(from, stores)) return false;
  std::error_code error;
  fs::create_directories(to / "pack", error);
  return std::all_of(stores.begin(), stores.end(), [&](const fs::path& store) {
    constexpr int attempts = 3;
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (bring_store(store, to)) return true;
    }
    return false;
  });
}

}  // namespace tandem::builders::git
