#include "specs/files/model_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "specs/files/cached_file.hpp"
#include "specs/files/download.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::specs {

namespace {

namespace fs = std::filesystem;
using Reason = FileFailure::Reason;
using Provided = std::variant<fs::path, FileFailure>;

constexpr std::string_view any_folder = "directory";  ///< what FAI-PEP has for the MD5 of a folder

FileFailure stopped(const FileSpec& file) {
  return {Reason::unavailable, fmt::format("{} was not provided: it was stopped", file.filename)};
}

std::optional<FileFailure> wrong_digests(const FileSpec& file) {
  const auto refuse = [&](const char* name, const std::string& text, int digits) {
    return FileFailure{Reason::wrong, fmt::format("{}: its {} is {}; write {} hexadecimal digits",
                                                  file.filename, name, in_quotes(text), digits)};
  };
  if (!file.md5.empty() && !is_md5(file.md5)) return refuse("md5", file.md5, 32);
  if (!file.sha256.empty() && !is_sha256(file.sha256)) return refuse("sha256", file.sha256, 64);
  return std::nullopt;
}

/// Those of `found` that `expected` has, as a sentence shows them; nothing if they are equal.
std::optional<std::string> difference(const Digests& found, const Digests& expected) {
  std::string text;
  const auto compare = [&](const char* name, const std::string& has, const std::string& wanted) {
    if (wanted.empty() || has == wanted) return;
    text += fmt::format("{}its {} is {} and not {}", text.empty() ? "" : ", ", name, has, wanted);
  };
  compare("md5", found.md5, expected.md5);
  compare("sha256", found.sha256, expected.sha256);
  return text.empty() ? std::nullopt : std::optional(text);
}

Provided provide_local(const FileSpec& file, const fs::path& path, const std::stop_token& stop) {
  if (fs::is_directory(path)) {
    if (file.sha256.empty() && (file.md5.empty() || file.md5 == any_folder)) return path;
    return FileFailure{Reason::wrong,
                       fmt::format("{}: {} is a folder, which has no digest; write \"{}\" as its md5",
                                   file.filename, path.string(), any_folder)};
  }
  if (auto failure = wrong_digests(file)) return *failure;
  const Digests expected{file.md5, file.sha256};
  if (expected.none()) return path;
  const auto found = digests_of_file(path, expected, stop);
  if (!found) return stopped(file);
  if (const auto differs = difference(*found, expected)) {
    return FileFailure{Reason::wrong,
                       fmt::format("{}: {} is another file than the spec says: {}; correct one of them",
                                   file.filename, path.string(), *differs)};
  }
  return path;
}

/// One download that has its place in the cache.
class CachedDownload {
 public:
  CachedDownload(const FileSpec& file, std::string url, fs::path place, const ModelFileSettings& settings)
      : file_(file),
        expected_{file.md5, file.sha256},
        source_(sha256_of(url)),
        place_(std::move(place)),
        part_(place_.string() + ".part"),
        request_{std::move(url), part_, file.filename, settings.stall, settings.tries} {}

  Provided provide(const ShowDownload& show, const std::stop_token& stop) const {
    if (known_to_be_right()) return place_;
    try {
      return provide_alone(show, stop);
    } catch (const Error&) {
      // A cache that this user may only read still serves what it has.
      if (found_to_be_right(stop)) return place_;
      throw;
    }
  }

 private:
  Provided provide_alone(const ShowDownload& show, const std::stop_token& stop) const {
    fs::create_directories(place_.parent_path());
    const auto lock = lock_cached(place_, stop);
    if (!lock) return stopped(file_);
    // Whoever held the lock may have brought it.
    if (known_to_be_right() || found_to_be_right(stop)) return place_;
    if (stop.stop_requested()) return stopped(file_);
    return fetch(show, stop);
  }

  /// By what was written down when it was last looked at.
  [[nodiscard]] bool known_to_be_right() const {
    const auto stamp = stamp_of(place_);
    if (!stamp) return false;
    const auto record = read_record(place_);
    if (!expected_.none()) {
      return record && record->stamp == *stamp && !difference(record->digests, expected_);
    }
    // Without a digest: one that somebody put there, or all of what came from this address.
    if (!record || record->source.empty()) return true;
    return record->source == source_ && record->stamp.size == stamp->size;
  }

  [[nodiscard]] bool found_to_be_right(const std::stop_token& stop) const {
    const auto stamp = stamp_of(place_);
    if (!stamp || expected_.none()) return false;
    const auto found = digests_of_file(place_, expected_, stop);
    if (!found || difference(*found, expected_)) return false;
    const auto record = read_record(place_);
    // The stamp from before: if it was written to while it was read, the next look finds that.
    write_record(place_, {*stamp, *found, record ? record->source : ""});
    return true;
  }

  Provided fetch(const ShowDownload& show, const std::stop_token& stop) const {
    Digests found;
    for (int round = 1;; ++round) {
      const auto got = download(request_, show, stop);
      if (const auto* failure = std::get_if<FileFailure>(&got)) return *failure;
      const auto digests = digests_of_file(part_, expected_, stop);
      if (!digests) return stopped(file_);
      found = *digests;
      const auto differs = difference(found, expected_);
      if (!differs) break;
      remove_partial(part_);
      // The pieces of several answers may be of two versions, whatever the server says.
      if (round == 1 && std::get<Downloaded>(got).origin == Downloaded::Origin::several_answers) continue;
      return FileFailure{Reason::wrong,
                         fmt::format("{}: what {} brings is another file than the spec says: {}; correct the "
                                     "digest in the spec if the new file is right",
                                     file_.filename, shown_url(request_.url), *differs)};
    }
    put_in_place(part_, place_);
    remove_partial(part_);
    if (const auto stamp = stamp_of(place_)) write_record(place_, {*stamp, found, source_});
    return place_;
  }

  const FileSpec& file_;
  Digests expected_;
  std::string source_;
  fs::path place_;
  fs::path part_;
  DownloadRequest request_;
};

Provided provide(const FileSpec& file, const std::string& format, const std::string& model,
                 const ModelFileSettings& settings, const ShowDownload& show, const std::stop_token& stop) {
  const auto location = locate(file, settings.root_model_dir);
  if (const auto* failure = std::get_if<FileFailure>(&location)) return *failure;
  if (const auto* local = std::get_if<LocalLocation>(&location))
    return provide_local(file, local->path, stop);
  if (auto failure = wrong_digests(file)) return *failure;
  auto cached_at = place_in_cache(settings.cache, format, model, file.filename);
  if (const auto* failure = std::get_if<FileFailure>(&cached_at)) return *failure;
  return CachedDownload(file, std::get<RemoteLocation>(location).url, std::get<fs::path>(cached_at), settings)
      .provide(show, stop);
}

}  // namespace

Provided provide_file(const FileSpec& file, const std::string& format, const std::string& model,
                      const ModelFileSettings& settings, const ShowDownload& show,
                      const std::stop_token& stop) {
  try {
    Provided result = provide(file, format, model, settings, show, stop);
    auto* failure = std::get_if<FileFailure>(&result);
    if (failure != nullptr && failure->reason == Reason::wrong && !file.file.empty()) {
      failure->what = place(file.file, file.where) + ": " + failure->what;
    }
    return result;
  } catch (const Error& error) {
    return FileFailure{Reason::unavailable, fmt::format("{}: {}", file.filename, error.what())};
  } catch (const fs::filesystem_error& error) {
    return FileFailure{Reason::unavailable, fmt::format("{}: {}", file.filename, error.what())};
  }
}

}  // namespace tandem::specs
