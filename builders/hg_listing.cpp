#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "builders/hg_history.hpp"
#include "builders/hg_program.hpp"
#include "specs/error.hpp"

namespace tandem::builders::hg {
namespace {

namespace fs = std::filesystem;

/// Fields of fixed shape first. None of them, nor the author or the first line of a message, can hold a
/// newline; a NUL in a name only moves where that name ends.
constexpr const char* listing_template =
    "{node} {p1.node} {p2.node} {manifest.node} {date|hgdate}\\0{author|person}\\0{author|email}\\0"
    "{desc|firstline}\\n";

fs::path listing_file(const fs::path& mirror) {
  return our_folder(mirror) / "commits";
}
fs::path tips_file(const fs::path& mirror) {
  return our_folder(mirror) / "tips";
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
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
  std::string text = content_of(listing_file(mirror));
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
  fs::create_directories(our_folder(mirror));
  if (known == 0) return replace_file(listing_file(mirror), fresh);
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
  const fs::path shown = mirror;
  return History(run_or_throw(listing_call(mirror, 0), fmt::format("read the mirror '{}'", shown.string())));
}

Tips read_tips(const fs::path& mirror) {
  Tips tips;
  std::ifstream stream(tips_file(mirror));
  for (std::string line; std::getline(stream, line);) {
    constexpr std::size_t digits = 40;
    if (line.size() > digits + 1 && is_node(std::string_view(line).substr(0, digits))) {
      tips[line.substr(digits + 1)] = line.substr(0, digits);
    }
  }
  return tips;
}

void write_tips(const fs::path& mirror, const Tips& tips) {
  std::string text;
  for (const auto& [name, id] : tips) text += fmt::format("{} {}\n", id, name);
  replace_file(tips_file(mirror), text);
}

}  // namespace tandem::builders::hg
