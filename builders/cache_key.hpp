#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tandem::builders {

/// Everything that may change the bytes of an executable. Two builds with one key are interchangeable.
struct CacheKeyParts {
  std::string commit;
  std::string platform;
  std::string framework_hash;  ///< of the whole framework folder
  std::string sdk_hash;
  std::string toolchain;
  std::string cxxflags;
  std::string ldflags;
  std::uint64_t seed = 0;
};

/// 64 hexadecimal digits.
[[nodiscard]] std::string cache_key(const CacheKeyParts& parts);

/// Path and version line of the C++ compiler that a build would find; "none" if the search path has none.
[[nodiscard]] std::string describe_toolchain(const std::string& search_path);

}  // namespace tandem::builders
