// Any bytes through the readers of what a cache holds: programs, the loader's list of libraries, manifests.
// With libFuzzer (TANDEM_FUZZ, clang) this is a fuzz target; without it, identity_replay_test.cpp gives it
// mutations of real ones.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "builders/cache/manifest.hpp"
#include "builders/identity/elf.hpp"
#include "builders/identity/identity.hpp"
#include "specs/foundation/error.hpp"

namespace {

using namespace tandem::builders;

void require(bool good) {
  if (!good) std::abort();
}

void look_at_elf(std::string_view bytes) {
  const auto inside = [&](const FileRange& range) {
    require(range.begin <= range.end && range.end <= bytes.size());
  };
  if (const auto image = read_elf(bytes)) {
    for (const auto& segment : image->segments) inside(segment.content);
    for (const auto& section : image->sections) inside(section.content);
    for (const auto& range : image->headers) inside(range);
    for (const auto& range : image->build_ids) inside(range);
  }
  const auto hash = loadable_hash(bytes, "1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d");
  require(!hash || hash->size() == 64);
}

void look_at_manifest(const std::string& text) {
  try {
    const Manifest manifest = manifest_from_json(text);
    for (const auto& files : {manifest.files, manifest.links}) {
      for (const ManifestFile& file : files) require(!file.path.empty() && file.path.front() != '/');
    }
    static_cast<void>(to_json(manifest));
  } catch (const tandem::Error& error) {
    require(*error.what() != '\0');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view view(reinterpret_cast<const char*>(bytes), size);
  look_at_elf(view);
  static_cast<void>(read_loader_cache(view));
  if (!view.starts_with("\x7f")) look_at_manifest(std::string(view));
  return 0;
}
