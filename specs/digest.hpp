#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace tandem::specs {

/// Of one file, in lower-case hexadecimal; empty: not given, not asked for.
struct Digests {
  std::string md5;
  std::string sha256;

  [[nodiscard]] bool none() const { return md5.empty() && sha256.empty(); }
  friend bool operator==(const Digests&, const Digests&) = default;
};

/// Both of a text.
[[nodiscard]] Digests digests_of(std::string_view text);

/// Those of the file that `like` has, read once and in pieces; nothing if stopped before the end. Throws
/// Error if the file cannot be read.
[[nodiscard]] std::optional<Digests> digests_of_file(const std::filesystem::path& file, const Digests& like,
                                                     const std::stop_token& stop);

/// Whether `text` is as long as such a digest and in lower-case hexadecimal.
[[nodiscard]] bool is_md5(std::string_view text);
[[nodiscard]] bool is_sha256(std::string_view text);

}  // namespace tandem::specs
