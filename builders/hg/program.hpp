#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runners/process/process.hpp"

/// What the hg_*.cpp files share about Mercurial; nobody else includes this.
namespace tandem::builders::hg {

inline constexpr const char* not_installed = "mercurial is not installed; apt install mercurial";

/// The `hg` of the caller's PATH.
[[nodiscard]] std::optional<std::filesystem::path> find_program();

/// One run of `hg`: no shell, and no configuration, hook or extension of the user, the machine or any
/// repository. Output is English in UTF-8, times are UTC.
struct Call {
  std::vector<std::string> arguments;
  std::filesystem::path directory;      ///< where it runs; empty: the caller's
  std::filesystem::path configuration;  ///< the only file of settings that it reads; empty: none
  std::chrono::nanoseconds deadline = std::chrono::hours{1};
  std::size_t output_bytes = std::size_t{512} << 20;
};
[[nodiscard]] runners::Finished run(const Call& call, const std::stop_token& stop = {});

/// As `run`, and gives what was printed. Throws Error "cannot <doing>: <reason>".
[[nodiscard]] std::string run_or_throw(const Call& call, const std::string& doing);

/// hg's own words about why it failed, on one line.
[[nodiscard]] std::string reason(const runners::Finished& finished);

[[nodiscard]] bool is_node(std::string_view text);  ///< 40 hexadecimal digits in lower case

/// Commands of ours inside hg, for what no command of its own can tell in one process:
///   tandem-witness COMMIT    what the ids of the commit, its manifest and its files are made of
///   tandem-names SOURCE      branches and bookmarks of another repository, one per line
/// Gives the argument that loads them; their file is put into `directory` if it is not there yet.
[[nodiscard]] std::string with_our_commands(const std::filesystem::path& directory);

/// Where the mirror keeps what is Tandem's own.
[[nodiscard]] std::filesystem::path our_folder(const std::filesystem::path& mirror);

/// Writes the file beside its place and renames it. Throws Error.
void replace_file(const std::filesystem::path& file, std::string_view content);

}  // namespace tandem::builders::hg
