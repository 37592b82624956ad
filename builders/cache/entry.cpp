#include "builders/cache/entry.hpp"

#include <fmt/format.h>

#include "specs/foundation/hashes.hpp"

namespace tandem::builders {

std::string cache_key(const CacheKeyParts& parts) {
  Sha256 hash;
  hash.add_field("tandem executable 2");
  hash.add_field(parts.commit);
  hash.add_field(fmt::format("{}", parts.submodules.size()));
  for (const auto& [path, id] : parts.submodules) {
    hash.add_field(path);
    hash.add_field(id);
  }
  hash.add_field(parts.platform);
  hash.add_field(parts.framework_hash);
  hash.add_field(parts.sdk_hash);
  hash.add_field(parts.toolchain);
  hash.add_field(parts.cxxflags);
  hash.add_field(parts.ldflags);
  hash.add_field(fmt::format("{}", parts.seed));
  hash.add_field(fmt::format("{}", parts.variables.size()));
  for (const std::string& variable : parts.variables) hash.add_field(variable);
  hash.add_field(parts.sources_hash);
  hash.add_field(parts.linker);
  hash.add_field(parts.ground);
  return hash.finish();
}

}  // namespace tandem::builders
