#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace tandem {

/// SHA-256 in pieces; results are 64 hexadecimal digits.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  /// Adds the length as well, so that ("ab", "c") and ("a", "bc") differ.
  void add_field(std::string_view bytes);
  [[nodiscard]] std::string finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] std::string sha256_of(std::string_view bytes);

/// Throws std::system_error if the file cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

/// Over every path below the folder with its kind, executable bit and content or link target. An empty or
/// missing folder has a hash too.
[[nodiscard]] std::string sha256_of_folder(const std::filesystem::path& folder);

}  // namespace tandem
