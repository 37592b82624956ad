#pragma once

#include <ctime>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builders/repository.hpp"
#include "specs/foundation/descriptor.hpp"

/// Files of a checkout, always through the descriptor of their directory so that no link on the way is
/// followed. `path` is only for messages. Every function throws CheckoutRefusal.
namespace tandem::builders::checkout_files {

/// Ends a checkout from any depth.
struct CheckoutRefusal {
  CheckoutFailure failure;
};

[[noreturn]] void refuse(CheckoutFailure::Kind kind, const std::string& sentence);
[[noreturn]] void refuse_errno(const std::string& doing, const std::string& path);
/// The file is not what the commit holds.
[[noreturn]] void refuse_difference(const std::string& path);
void refuse_if_stopped(const std::stop_token& stop);

/// No framework comes near these; a hostile commit of a few objects can unfold to billions of files.
inline constexpr std::size_t most_files = 2'000'000;
inline constexpr std::size_t deepest_folder = 200;
void check_count(std::size_t files);
void check_depth(std::size_t folders);

/// Refuses a name that would lead out of its directory, or into one of these folders of version control.
void check_name(const std::string& name, const std::string& path,
                std::initializer_list<std::string_view> forbidden);

/// The time of every file. A commit from the future would make build tools believe that everything is out of
/// date, so it counts as made now.
struct FileTimes {
  explicit FileTimes(std::int64_t commit_time);
  timespec both[2]{};  ///< access and modification
};
void set_times(int file, const FileTimes& times, const std::string& path);

enum class Mode { plain, executable };

[[nodiscard]] OwnedDescriptor open_top(const std::filesystem::path& directory);
[[nodiscard]] OwnedDescriptor open_directory(int directory, const std::string& name, const std::string& path);
[[nodiscard]] std::vector<std::string> names_in(int directory, const std::string& path);

void make_directory(int directory, const std::string& name, const std::string& path);
void write_file(int directory, const std::string& name, std::string_view content, Mode mode,
                const FileTimes& times, const std::string& path);
void write_link(int directory, const std::string& name, const std::string& target, const FileTimes& times,
                const std::string& path);
void set_link_times(int directory, const std::string& name, const FileTimes& times, const std::string& path);

/// The bytes of a plain file; nothing if it is something else or its mode is another.
[[nodiscard]] std::optional<std::string> read_file(int directory, const std::string& name, Mode mode,
                                                   const std::string& path);
[[nodiscard]] std::string read_link(int directory, const std::string& name, const std::string& path);

}  // namespace tandem::builders::checkout_files
