#include "specs/files/model_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "specs/files/cached_file.hpp"
#include "specs/files/download.hpp"
#include "specs/files/url.hpp"
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

namespace {

using Located = std::variant<RemoteLocation, LocalLocation, FileFailure>;

FileFailure wrong(std::string what) {
  return {FileFailure::Reason::wrong, std::move(what)};
}

/// All of a folder is shown to the benchmark: one that the spec lies in holds what is not named.
bool holds_the_spec(const fs::path& folder, const FileSpec& file) {
  if (file.file.empty()) return false;
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  const fs::path spec = fs::weakly_canonical(fs::absolute(file.file), error);
  return std::mismatch(real.begin(), real.end(), spec.begin(), spec.end()).first == real.end();
}

Located on_this_host(const FileSpec& file, const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status) && holds_the_spec(path, file)) {
    return wrong(fmt::format(
        "{}: its location {} is a folder that the spec itself lies in, and benchmarks would see all "
        "of it; name a file, or give the model a folder of its own",
        file.filename, in_quotes(file.location)));
  }
  if (fs::is_regular_file(status) || fs::is_directory(status)) return LocalLocation{path};
  if (fs::exists(status)) {
    return wrong(fmt::format("{}: {} is neither a file nor a folder", file.filename, path.string()));
  }
  if (status.type() == fs::file_type::not_found) {
    return wrong(
        fmt::format("{}: there is nothing at {}; correct the location in the spec or put the file there",
                    file.filename, path.string()));
  }
  return FileFailure{FileFailure::Reason::unavailable,
                     fmt::format("{}: cannot look at {}: {}", file.filename, path.string(), error.message())};
}

Located under_root(const FileSpec& file, const fs::path& root) {
  if (root.empty()) {
    return wrong(fmt::format("{}: its location {} lies under the model root; name that with --root_model_dir",
                             file.filename, in_quotes(file.location)));
  }
  std::error_code error;
  const fs::path real_root = fs::canonical(root, error);
  if (error) {
    return wrong(fmt::format("{}: the model root {} cannot be used: {}; correct --root_model_dir",
                             file.filename, root.string(), error.message()));
  }
  // Not resolved further than it exists, so that what is missing is told apart from what leads outside.
  const fs::path real = fs::weakly_canonical(real_root / fs::path(file.location).relative_path(), error);
  if (error) return on_this_host(file, real_root / fs::path(file.location).relative_path());
  const auto [end, ignored] = std::mismatch(real_root.begin(), real_root.end(), real.begin(), real.end());
  if (end != real_root.end()) {
    return wrong(fmt::format("{}: its location {} leads out of the model root {}; keep it inside",
                             file.filename, in_quotes(file.location), root.string()));
  }
  return on_this_host(file, real);
}

std::optional<FileFailure> not_a_name(const char* what, const std::string& name) {
  constexpr std::size_t longest = 200;  // of the 255 that file systems allow; endings are added
  const auto refuse = [&](const char* why) {
    return wrong(fmt::format("the {} {} is no name for the model cache: {}", what, in_quotes(name), why));
  };
  if (name.empty()) return refuse("it is empty");
  if (name == "." || name == "..") return refuse("it names another folder");
  if (name.find('/') != std::string::npos) return refuse("take the slash out");
  if (has_control_characters(name)) return refuse("take the control characters out");
  if (name.size() > longest) return refuse("it is longer than 200 bytes");
  return std::nullopt;
}

}  // namespace

Located locate(const FileSpec& file, const fs::path& root_model_dir) {
  const std::string& location = file.location;
  if (location.empty()) return wrong(fmt::format("{}: it has no location; write one", file.filename));
  if (has_control_characters(location)) {
    return wrong(fmt::format("{}: its location {} has control characters; take them out", file.filename,
                             in_quotes(location)));
  }
  if (location.starts_with('{')) {
    return wrong(fmt::format("{}: its location {} is known only while the benchmark runs", file.filename,
                             in_quotes(location)));
  }
  const std::string scheme = scheme_of(location);
  if (scheme == "http" || scheme == "https") return RemoteLocation{location};
  if (scheme == "file") {
    const auto path = path_of_file_url(location);
    if (path && !has_control_characters(*path)) return on_this_host(file, *path);
    return wrong(fmt::format("{}: its location {} is no file of this host; write file:///folder/file",
                             file.filename, in_quotes(location)));
  }
  if (!scheme.empty()) {
    return wrong(
        fmt::format("{}: its location {} has a scheme that is not known; write http://, https://, file:// or "
                    "a path",
                    file.filename, in_quotes(shown_url(location))));
  }
  if (location.starts_with("//")) return under_root(file, root_model_dir);
  std::error_code error;
  const fs::path from_spec = fs::path(file.file).parent_path() / location;  // an absolute one stays as it is
  const fs::path path = fs::absolute(from_spec, error);
  return on_this_host(file, error ? from_spec : path);
}

std::variant<fs::path, FileFailure> place_in_cache(const fs::path& cache, const std::string& format,
                                                   const std::string& model, const std::string& filename) {
  if (cache.empty())
    return wrong(
        fmt::format("{} is downloaded and there is no model cache; name one with --model_cache", filename));
  if (auto failure = not_a_name("format", format)) return *failure;
  if (auto failure = not_a_name("model name", model)) return *failure;
  if (auto failure = not_a_name("filename", filename)) return *failure;
  for (const std::string_view ending : {".part", ".from", ".lock", ".checked"}) {
    if (!filename.ends_with(ending)) continue;
    return wrong(fmt::format(
        "the filename {} is no name for the model cache: it keeps its own notes in files that end in {}",
        in_quotes(filename), ending));
  }
  return cache / format / model / filename;
}

}  // namespace tandem::specs
