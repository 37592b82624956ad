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

namespace tandem::builders::hg {

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
  [[nodiscard]] std::int64_t time(std::size_t position) const { return rows_[position].time; }

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
