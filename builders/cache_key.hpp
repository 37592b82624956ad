#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::builders {

/// Everything that may change the bytes of an executable. Two builds with one key are interchangeable.
struct CacheKeyParts {
  std::string commit;
  std::map<std::string, std::string> submodules;  ///< ids by path
  std::string platform;
  std::string framework_hash;  ///< of the whole framework folder
  std::string sdk_hash;
  std::string toolchain;  ///< see toolchain.hpp
  std::string cxxflags;
  std::string ldflags;
  std::uint64_t seed = 0;
  std::vector<std::string> variables;  ///< of the `build` section
  std::string sources_hash;            ///< of the user's files that it names
  std::string linker;                  ///< the wrapper that captures links, and what it links with
  std::string ground;                  ///< with or without sandbox and `.git`: scripts see other paths
};

/// 64 hexadecimal digits.
[[nodiscard]] std::string cache_key(const CacheKeyParts& parts);

}  // namespace tandem::builders
