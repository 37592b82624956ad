#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "builders/commit.hpp"
#include "runners/process/process.hpp"
#include "specs/foundation/file_lock.hpp"

/// How hg is run, what a mirror holds, and the views through which other repositories are read. Nobody
/// outside this room includes this.
namespace tandem::builders::hg {

inline constexpr const char* not_installed = "mercurial is not installed; apt install mercurial";

/// Whether the caller's PATH leads to an `hg`.
[[nodiscard]] bool is_installed();

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

/// The branches and bookmarks of another repository, which no command of hg's own can tell. Nothing if they
/// cannot be read. A file is put into `directory`, which is where `call`, without arguments, is to run.
[[nodiscard]] std::optional<std::vector<std::string>> names_of(const std::string& source, Call call,
                                                               const std::stop_token& stop = {});

/// One writer at a time per mirror. The lock goes with the process, however that ends. Nothing if another
/// held it until `end` or until the stop.
[[nodiscard]] std::optional<FileLock> lock_mirror(const std::filesystem::path& mirror,
                                                  std::chrono::steady_clock::time_point end,
                                                  const std::stop_token& stop);

/// Makes the mirror if it is missing, and mends what a killed fetch left in it; the caller holds its lock.
/// One that is no repository any more is put aside and made again. Throws Error.
void prepare_mirror(const std::filesystem::path& mirror, std::chrono::nanoseconds deadline);

/// Reads the whole mirror and puts it aside if that fails. True if it did.
[[nodiscard]] bool put_aside_if_damaged(const std::filesystem::path& mirror,
                                        std::chrono::nanoseconds deadline, const std::stop_token& stop);

/// How much of a repository a view shows: `names` is enough to look up branches, bookmarks and tags.
enum class Depth { names, everything };

/// Makes `place` a repository that shows the commits of the one at `repository`. hg writes caches and locks
/// into every local repository that it reads, and would obey its settings: in a view both directories are
/// its own, and only the files of the history are links to the original, which is thus never written to.
/// `place` must not exist. Throws InputError if there is no repository in a form that can be shown.
void make_view(const std::filesystem::path& repository, const std::filesystem::path& place, Depth depth);

/// What the repository's own settings call `name` in their [paths]; empty if nothing. Files that these
/// settings include are not followed.
[[nodiscard]] std::string path_setting(const std::filesystem::path& repository, const std::string& name);

/// All commits of a mirror, in memory, parents before children. Starting hg costs a tenth of a second and
/// listing 10 000 commits a whole one, so a fetch keeps the listing in the mirror, and reading the history
/// starts no process.
class History {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  /// `listing` is what hg prints for `listing_template`. Throws Error if a line of it is not sound.
  explicit History(std::string listing);

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::string_view id(std::size_t position) const;
  [[nodiscard]] Commit commit(std::size_t position) const;
  [[nodiscard]] std::size_t first_parent(std::size_t position) const { return rows_[position].parents[0]; }

  /// Both parents, `none` where there is none.
  [[nodiscard]] const std::size_t* parents(std::size_t position) const { return rows_[position].parents; }

  /// The commits whose ids begin so, two at most.
  [[nodiscard]] std::vector<std::size_t> beginning_with(std::string_view digits) const;
  [[nodiscard]] std::optional<std::size_t> find(std::string_view id) const;

  /// Which commits can be reached from this one by any parents, itself included.
  [[nodiscard]] std::vector<bool> reachable(std::size_t from) const;

 private:
  struct Row {
    std::size_t begin, end;
    std::size_t parents[2];
    std::int64_t time;
  };
  std::string text_;
  std::vector<Row> rows_;
  std::vector<std::size_t> by_id_;
};

/// Brings the listing kept in the mirror up to date; only a fetch calls it. Throws Error.
void update_listing(const std::filesystem::path& mirror, std::chrono::nanoseconds deadline,
                    const std::stop_token& stop);

/// From the listing, or from hg itself if there is none. Throws Error.
[[nodiscard]] History read_history(const std::filesystem::path& mirror);

/// The commit of each fetched branch, bookmark or tag.
using Tips = std::map<std::string, std::string>;
[[nodiscard]] Tips read_tips(const std::filesystem::path& mirror);
void write_tips(const std::filesystem::path& mirror, const Tips& tips);

}  // namespace tandem::builders::hg
