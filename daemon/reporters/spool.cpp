#include "daemon/reporters/spool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "daemon/report/iso_time.hpp"
#include "daemon/reporters/files.hpp"
#include "daemon/reporters/safe_name.hpp"
#include "specs/error.hpp"

namespace tandem::daemon::reporters {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_aside = 1000;

/// Sorts as the times do: 20240108T091200Z-000123-ID.json.
std::string name_of(std::chrono::system_clock::time_point time, const std::string& id) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(since - seconds);
  std::string stamp = report::iso_time(seconds.count());
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{:06}-{}.json", stamp, rest.count(), safe_name(id));
}

template <class Wanted>
std::vector<fs::path> files_in(const fs::path& directory, Wanted wanted) {
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::exists(directory, error)) return files;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& file = entry->path();
    if (!file.filename().string().starts_with('.') && wanted(file.extension())) files.push_back(file);
  }
  if (error) throw Error(fmt::format("cannot read {}: {}", directory.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Spool::Spool(fs::path directory, std::size_t limit) : directory_(std::move(directory)), limit_(limit) {}

void Spool::add(std::chrono::system_clock::time_point time, const std::string& id,
                const std::string& text) const {
  make_directories(directory_);
  const fs::path file = directory_ / name_of(time, id);
  if (waiting().size() >= limit_ && !fs::exists(file)) {
    throw Error(fmt::format("{} results wait in {} already, so this one is not kept for the server", limit_,
                            directory_.string()));
  }
  replace_file(file, text);
}

std::vector<fs::path> Spool::waiting() const {
  return files_in(directory_, [](const fs::path& extension) { return extension == ".json"; });
}

std::optional<std::string> Spool::read(const fs::path& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  return in && !text.bad() ? std::optional(text.str()) : std::nullopt;
}

void Spool::remove(const fs::path& file) const {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT)
    throw Error(fmt::format("cannot remove {}: {}", file.string(), std::strerror(errno)));
  // Not synced: what a power cut brings back is sent again under the same id.
}

void Spool::put_aside(const fs::path& file, const std::string& reason) const {
  const fs::path aside = file.string() + reason;
  if (::rename(file.c_str(), aside.c_str()) != 0)
    throw Error(fmt::format("cannot put {} aside: {}", file.string(), std::strerror(errno)));
  const auto all = files_in(
      directory_, [](const fs::path& extension) { return extension == ".bad" || extension == ".refused"; });
  for (std::size_t i = 0; i + most_aside < all.size(); ++i) remove(all[i]);
}

}  // namespace tandem::daemon::reporters
