
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <numeric>

#include "builders/hg/mirror.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::hg {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_text = 500;
constexpr std::size_t digits = 40;
constexpr std::size_t ids = 4;  ///< node, both parents, manifest
const std::string no_parent(digits, '0');

[[noreturn]] void unsound(std::size_t line) {
  throw Error(fmt::format("the list of commits of the mirror is damaged at line {}", line + 1));
}

std::string_view history_field(std::string_view line, std::size_t number) {
  return line.substr(number * (digits + 1), digits);
}

/// "seconds offset": the seconds are UTC already, whatever zone the author was in.
std::optional<std::int64_t> time_of(std::string_view line) {
  line.remove_prefix(ids * (digits + 1));
  std::int64_t time = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), time);
  const bool sound = error == std::errc{} && end != line.data() + line.size() && *end == ' ';
  return sound ? std::optional(time) : std::nullopt;
}

/// The text up to the next NUL, which is taken off `rest` as well.
std::string take_text(std::string_view& rest) {
  const auto end = std::min(rest.find('\0'), rest.size());
  std::string text = printable(rest.substr(0, end), longest_text);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return text;
}

}  // namespace

History::History(std::string listing) : text_(std::move(listing)) {
  const std::string_view text = text_;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string_view line = text.substr(begin, end - begin);
    if (end == std::string_view::npos || line.size() <= ids * (digits + 1)) unsound(rows_.size());
    for (std::size_t i = 0; i < ids; ++i) {
      if (!is_node(history_field(line, i)) || line[i * (digits + 1) + digits] != ' ') unsound(rows_.size());
    }
    const auto time = time_of(line);
    if (!time) unsound(rows_.size());
    rows_.push_back({begin, end, {none, none}, *time});
    begin = end + 1;
  }
  by_id_.resize(rows_.size());
  std::iota(by_id_.begin(), by_id_.end(), std::size_t{0});
  std::sort(by_id_.begin(), by_id_.end(), [&](std::size_t a, std::size_t b) { return id(a) < id(b); });
  for (std::size_t at = 0; at < rows_.size(); ++at) {
    Row& row = rows_[at];
    for (std::size_t i = 0; i < 2; ++i) {
      const auto parent = history_field(text.substr(row.begin, row.end - row.begin), i + 1);
      if (parent == no_parent) continue;
      const auto position = find(parent);
      // Walks rely on it to end.
      if (!position || *position >= at) unsound(at);
      row.parents[i] = *position;
    }
  }
}

std::string_view History::id(std::size_t position) const {
  return std::string_view(text_).substr(rows_[position].begin, digits);
}

Commit History::commit(std::size_t position) const {
  const Row& row = rows_[position];
  const std::string_view line = std::string_view(text_).substr(row.begin, row.end - row.begin);
  Commit commit;
  commit.id = id(position);
  if (row.parents[0] != none) commit.first_parent = id(row.parents[0]);
  commit.tree = history_field(line, 3);
  commit.author_time = commit.committer_time = row.time;
  std::string_view rest = line.substr(std::min(line.find('\0'), line.size() - 1) + 1);
  commit.author_name = take_text(rest);
  commit.author_email = take_text(rest);
  // For an author without an address hg gives the name once more.
  if (commit.author_email.find('@') == std::string::npos) commit.author_email.clear();
  commit.subject = printable(rest, longest_text);
  return commit;
}

std::vector<std::size_t> History::beginning_with(std::string_view start) const {
  auto found = std::lower_bound(by_id_.begin(), by_id_.end(), start,
                                [&](std::size_t at, std::string_view wanted) { return id(at) < wanted; });
  std::vector<std::size_t> fitting;
  for (; found != by_id_.end() && fitting.size() < 2 && id(*found).starts_with(start); ++found) {
    fitting.push_back(*found);
  }
  return fitting;
}

std::optional<std::size_t> History::find(std::string_view wanted) const {
  const auto fitting = beginning_with(wanted);
  return wanted.size() == digits && !fitting.empty() ? std::optional(fitting.front()) : std::nullopt;
}

std::vector<bool> History::reachable(std::size_t from) const {
  std::vector<bool> reached(rows_.size(), false);
  reached[from] = true;
  // Parents stand before children: one pass downwards meets every commit after all its children.
  for (std::size_t at = from + 1; at-- > 0;) {
    if (!reached[at]) continue;
    for (const std::size_t parent : rows_[at].parents) {
      if (parent != none) reached[parent] = true;
    }
  }
  return reached;
}

namespace {

/// Fields of fixed shape first. None of them, nor the author or the first line of a message, can hold a
/// newline; a NUL in a name only moves where that name ends.
constexpr const char* listing_template =
    "{node} {p1.node} {p2.node} {manifest.node} {date|hgdate}\\0{author|person}\\0{author|email}\\0"
    "{desc|firstline}\\n";

/// What the mirror keeps of Tandem's own.
fs::path listing_file(const fs::path& mirror) {
  return mirror / ".hg/tandem/commits";
}
fs::path tips_file(const fs::path& mirror) {
  return mirror / ".hg/tandem/tips";
}

Call listing_call(const fs::path& mirror, std::size_t first) {
  Call call;
  // Hidden commits count: numbers must be without gaps, and a branch may have stood on one.
  call.arguments = {"--hidden",   "-R",
                    mirror,       "log",
                    "--rev",      first == 0 ? "all()" : fmt::format("{}:", first),
                    "--template", listing_template};
  return call;
}

/// The file up to its last whole line: a fetch may have been killed while it wrote.
std::string stored_listing(const fs::path& mirror) {
  std::ifstream stream(listing_file(mirror), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  text.resize(text.find_last_of('\n') + 1);
  return text;
}

}  // namespace

void update_listing(const fs::path& mirror, std::chrono::nanoseconds deadline, const std::stop_token& stop) {
  std::string listing = stored_listing(mirror);
  std::size_t known = 0;
  try {
    known = History(listing).size();
  } catch (const Error&) {
    listing.clear();
  }
  // The mirror only grows, so the numbers of known commits stay. One more than needed is asked for where
  // possible: an empty range is an error for hg, and the overlap shows that both speak of one history.
  Call call = listing_call(mirror, known == 0 ? 0 : known - 1);
  call.deadline = deadline;
  const runners::Finished finished = run(call, stop);
  if (!finished.succeeded()) throw Error(fmt::format("cannot list the commits: {}", reason(finished)));
  std::string_view fresh = finished.output;
  if (known > 0) {
    const auto overlap = fresh.find('\n') + 1;
    if (!listing.ends_with(fresh.substr(0, overlap)) || overlap == 0) {
      fs::remove(listing_file(mirror));
      return update_listing(mirror, deadline, stop);
    }
    fresh.remove_prefix(overlap);
  }
  make_directories(listing_file(mirror).parent_path());
  if (known == 0) return write_by_rename(listing_file(mirror), std::string(fresh));
  if (fresh.empty()) return;
  fs::resize_file(listing_file(mirror), listing.size());
  std::ofstream file(listing_file(mirror), std::ios::binary | std::ios::app);
  file << fresh << std::flush;
  if (!file) throw Error(fmt::format("cannot write '{}'", listing_file(mirror).string()));
}

History read_history(const fs::path& mirror) {
  const fs::path file = listing_file(mirror);
  if (fs::exists(file)) {
    try {
      return History(stored_listing(mirror));
    } catch (const Error&) {
      // The next fetch writes it anew; until then hg itself is asked.
    }
  }
  return History(run_or_throw(listing_call(mirror, 0), fmt::format("read the mirror '{}'", mirror.string())));
}

Tips read_tips(const fs::path& mirror) {
  Tips tips;
  std::ifstream stream(tips_file(mirror));
  for (std::string line; std::getline(stream, line);) {
    if (line.size() > digits + 1 && is_node(std::string_view(line).substr(0, digits))) {
      tips[line.substr(digits + 1)] = line.substr(0, digits);
    }
  }
  return tips;
}

void write_tips(const fs::path& mirror, const Tips& tips) {
  std::string text;
  for (const auto& [name, id] : tips) text += fmt::format("{} {}\n", id, name);
  write_by_rename(tips_file(mirror), text);
}

}  // namespace tandem::builders::hg
