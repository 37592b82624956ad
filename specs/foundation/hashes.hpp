#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tandem {

/// A hash of bytes that come in pieces; the result is in lower-case hexadecimal.
class Hash {
 public:
  /// A name of OpenSSL's: "SHA256". Throws Error if this host does not offer it.
  explicit Hash(const char* algorithm);
  ~Hash();
  Hash(const Hash&) = delete;
  Hash& operator=(const Hash&) = delete;

  /// A StopScope ends it.
  void add(std::string_view bytes);
  /// Adds the length as well, so that ("ab", "c") and ("a", "bc") differ.
  void add_field(std::string_view bytes);
  [[nodiscard]] std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

class Sha256 : public Hash {
 public:
  Sha256() : Hash("SHA256") {}
};
class Md5 : public Hash {
 public:
  Md5() : Hash("MD5") {}
};

[[nodiscard]] std::string sha256_of(std::string_view bytes);

/// Throws std::system_error if the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

/// Over every path below the folder with its kind, executable bit and content or link target. An empty or
/// missing folder has a hash too.
[[nodiscard]] std::string sha256_of_folder(const std::filesystem::path& folder);

}  // namespace tandem
