#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "specs/owned_file.hpp"

namespace tandem::specs {

/// The beginning of a file that is downloaded, on disk, and beside it in PART.from whose beginning it is, so
/// that a later process goes on with it.
///
/// Not locked: one user at a time. Everything throws Error if the disk fails.
class PartialFile {
 public:
  /// What is there already is kept if it began at the same URL and the server named the version.
  PartialFile(std::filesystem::path part, const std::string& url);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::optional<std::uint64_t> total() const { return total_; }
  [[nodiscard]] bool whole() const { return total_ == size_; }

  /// The version as If-Range names it; empty: it cannot be continued.
  [[nodiscard]] const std::string& validator() const { return validator_; }

  /// Whether some of it came from an earlier answer.
  [[nodiscard]] bool continued() const { return continued_; }

  /// Throws away what is there; `append` follows from the first byte.
  void begin(const std::string& validator, std::optional<std::uint64_t> total);
  void forget() { begin("", std::nullopt); }

  /// `append` follows where it ends.
  void go_on() { continued_ = true; }
  void append(std::string_view bytes);

  /// Bytes that its disk has left.
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  [[noreturn]] void fail(const std::string& doing) const;
  void read_origin();

  std::filesystem::path part_;
  std::filesystem::path origin_;
  std::string source_;
  OwnedFile file_;
  std::uint64_t size_ = 0;
  std::optional<std::uint64_t> total_;
  std::string validator_;
  bool continued_ = false;
};

/// Where a partial file says whose beginning it is.
[[nodiscard]] std::filesystem::path origin_of(const std::filesystem::path& part);

/// Removes it with its origin, if it is there.
void remove_partial(const std::filesystem::path& part);

}  // namespace tandem::specs
