#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

namespace tandem {

/// A regular file's content, mapped read-only as long as this lives. Throws std::system_error if it cannot be
/// read. Only for files that nobody cuts short meanwhile: published ones, or the system's.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(MappedFile&& from) noexcept
      : start_(std::exchange(from.start_, nullptr)), size_(std::exchange(from.size_, 0)) {}
  MappedFile& operator=(MappedFile&&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {start_, size_}; }

 private:
  char* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tandem
