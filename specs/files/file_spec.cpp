#include "specs/files/file_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "specs/foundation/text.hpp"

namespace tandem::specs {
namespace {

constexpr std::string_view after_scheme = "://";

}  // namespace

std::string scheme_of(std::string_view location) {
  const std::size_t end = location.find(after_scheme);
  if (end == 0 || end == std::string_view::npos) return "";
  std::string scheme(location.substr(0, end));
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.'; };
  if (!std::all_of(scheme.begin(), scheme.end(), fits)) return "";
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return scheme;
}

std::string shown_url(const std::string& url) {
  const std::size_t scheme = url.find(after_scheme);
  if (scheme == std::string::npos) return url;
  const std::size_t host = scheme + after_scheme.size();
  const std::size_t host_end = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t user_end = url.substr(0, host_end).rfind('@');
  const std::size_t secret = std::min(url.find_first_of("?#", host), url.size());
  std::string shown = url.substr(0, host);
  const std::size_t from = user_end == std::string::npos || user_end < host ? host : user_end + 1;
  for (const char c : url.substr(from, secret - from)) {
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return secret < url.size() ? shown + "?…" : shown;
}

std::optional<std::string> refused_redirect(const std::string& from, const std::string& to) {
  const std::string scheme = scheme_of(to);
  if (scheme == "https" || (scheme == "http" && scheme_of(from) == "http")) return std::nullopt;
  return fmt::format(
      "the server at {} points to {}, and a download goes from http to http or https and from "
      "https to https only",
      shown_url(from), shown_url(to));
}

std::optional<std::string> path_of_file_url(const std::string& url) {
  if (scheme_of(url) != "file") return std::nullopt;
  std::string_view rest = std::string_view(url).substr(url.find(after_scheme) + after_scheme.size());
  constexpr std::string_view this_host = "localhost";
  if (rest.starts_with(this_host)) rest.remove_prefix(this_host.size());
  if (!rest.starts_with('/')) return std::nullopt;
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] != '%') {
      path += rest[i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = rest.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) return std::nullopt;
    path += static_cast<char>(value);
    i += 2;
  }
  return path;
}

namespace {

namespace fs = std::filesystem;
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
