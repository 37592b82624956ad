#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "builders/source.hpp"

namespace tandem::builders {

/// Where the branch stands after a fetch. `previous` is empty for the first one.
struct Tip {
  enum class Move { first, same, forward, rewritten };  ///< rewritten: `previous` is no ancestor of `id`
  std::string id;
  std::string previous;
  Move move = Move::first;
};

/// Why a fetch gave no tip. The mirror still holds what it held before. `sentence` holds no credentials.
struct FetchFailure {
  enum class Kind { unreachable, refused, no_branch, timed_out, corrupt, disk, stopped, internal };
  Kind kind = Kind::internal;
  std::string sentence;
};

[[nodiscard]] const char* name_of(Tip::Move move);
[[nodiscard]] const char* name_of(FetchFailure::Kind kind);

struct FetchOptions {
  std::filesystem::path program;  ///< executed as `program internal-fetch …`; must call fetch_in_child
  /// How long nothing may arrive: whatever does arrive gives it all of this time again. Mercurial tells
  /// nothing while it fetches, so there it bounds the whole.
  std::chrono::nanoseconds deadline = std::chrono::minutes{10};
  /// The whole may take so many times as long: a day, where the deadline is ten minutes.
  static constexpr int most_extensions = 144;
};

/// Brings the branch of `source` into the bare repository `mirror`, which is made if it is missing. The
/// network library has no time-out, so the work is done by a child that is killed at the deadline. A branch
/// that is gone is a failure `no_branch`; the mirror keeps what it was.
[[nodiscard]] std::variant<Tip, FetchFailure> fetch(const std::filesystem::path& mirror, const Source& source,
                                                    const FetchOptions& options, std::stop_token stop = {});

/// As `fetch`, for Mercurial: every step is a run of `hg` that is killed at the deadline. Only the branch and
/// what it descends from are brought. What a killed fetch left is mended by the next one; a mirror that
/// cannot be mended is put aside as `….damaged` and made again. The repository behind a path is never written
/// to.
[[nodiscard]] std::variant<Tip, FetchFailure> fetch_hg(const std::filesystem::path& mirror,
                                                       const Source& source,
                                                       std::chrono::nanoseconds deadline,
                                                       const std::stop_token& stop);

/// Brings the submodules of a fetched commit, and theirs, up to eight levels deep, each into a mirror of its
/// own in the directory `<mirror>.modules`. What is there already costs no connection. Submodules may be
/// fetched by http, https, ssh and git, and from files where the source itself is one; credentials of the
/// source are shown to its own host only. Nothing means success.
[[nodiscard]] std::optional<FetchFailure> fetch_submodules(const std::filesystem::path& mirror,
                                                           const std::string& commit, const Source& source,
                                                           const FetchOptions& options,
                                                           std::stop_token stop = {});

/// The child's side. `arguments` are those after the word internal-fetch: MIRROR BRANCH, or MIRROR COMMIT
/// submodules. The URL comes through the environment, because it may hold a password and every user can read
/// the arguments of a process. Prints one line for the parent and returns the exit status.
[[nodiscard]] int fetch_in_child(const std::vector<std::string>& arguments);

/// How parent and child talk; the child's answer is one line.
namespace fetch_protocol {
inline constexpr const char* command = "internal-fetch";
inline constexpr const char* url_variable = "TANDEM_FETCH_URL";
inline constexpr const char* seed_variable = "TANDEM_FETCH_SEED";
inline constexpr const char* key_file_variable = "TANDEM_FETCH_KEY_FILE";
inline constexpr const char* token_file_variable = "TANDEM_FETCH_TOKEN_FILE";
inline constexpr const char* channel_variable = "TANDEM_FETCH_CHANNEL";  ///< a line there: it goes on
inline constexpr const char* submodules = "submodules";

[[nodiscard]] std::string write(const std::variant<Tip, FetchFailure>& answer);
[[nodiscard]] std::variant<Tip, FetchFailure> read(const std::string& line);
}  // namespace fetch_protocol

}  // namespace tandem::builders
