#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tandem {

/// Makes a directory and those above it. Throws HostError.
void make_directories(const std::filesystem::path& directory);

/// What a directory lists, in no order, as far as it can be read.
[[nodiscard]] std::vector<std::filesystem::path> paths_in(const std::filesystem::path& directory);
[[nodiscard]] std::vector<std::filesystem::path> paths_in(const std::filesystem::path& directory,
                                                          std::error_code& error);

/// Writes a file in its place. Throws std::system_error, which keeps what the disk said.
void write_file(const std::filesystem::path& file, std::string_view text);

/// Replaces a file as a whole: written beside it as `<file>.<pid>.new`, synced, renamed. Readers see the old
/// file or the new one. Throws HostError.
void write_by_rename(const std::filesystem::path& file, const std::string& text);

/// The process number of a name of the form `<file>.<pid>.new`; nothing if the name has another form.
[[nodiscard]] std::optional<int> writer_of(const std::string& name, const std::string& file);

/// Removes what a killed process left half-written of these files of the folder: `<file>.<pid>.new`, unless a
/// process of that number lives.
void remove_half_written(const std::filesystem::path& folder, const std::vector<std::string>& files);

/// The text of a regular file of at most so many bytes; nothing if it is none or cannot be read.
[[nodiscard]] std::optional<std::string> read_small_file(const std::filesystem::path& file,
                                                         std::uintmax_t most_bytes);

/// A new directory (mode 0700) that is removed with all it holds at the end of the scope.
class TemporaryDirectory {
 public:
  /// PARENT/PREFIX and six random characters. Throws HostError.
  explicit TemporaryDirectory(std::string_view prefix,
                              const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  ~TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory&& from) noexcept : path_(std::exchange(from.path_, {})) {}
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The value of PATH, or the usual directories if it is not set.
[[nodiscard]] std::string search_path();

/// The first executable file of this name in the directories of a search path ("/usr/bin:/bin"); relative
/// directories do not count. Nothing if there is none.
[[nodiscard]] std::optional<std::filesystem::path> find_on_path(std::string_view name,
                                                                std::string_view directories);

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
