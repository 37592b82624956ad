#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "specs/json/problem.hpp"

namespace tandem::specs {

/// What turns a text into results: a name of the registry (runners/results/adapter.hpp) and its arguments.
struct ConverterSpec {
  std::string name;
  std::map<std::string, std::string> args;  ///< such as "identifier"
};

/// A file that a benchmark reads or writes.
struct FileSpec {
  enum class Role { read, written };
  Role role = Role::read;
  std::string key;       ///< as placeholders name it: "files.graph", "input_files.images"
  std::string filename;  ///< without folders
  /// Where it comes from, or of a written one where the program leaves it: a URL, a path under the model
  /// root ("//…"), a path relative to `file`, an absolute one, or one that begins with a directory of the
  /// runner ("{HOSTDIR}/…"). All other placeholders are replaced.
  std::string location;
  std::string md5;          ///< in lower case; empty: not given
  std::string sha256;       ///< in lower case; empty: not given
  ConverterSpec converter;  ///< of a written one that holds results
  std::string file;         ///< the spec
  Position where;           ///< in it
};

/// A command that runs beside the benchmark and is not measured.
struct HostCommand {
  std::string text;  ///< with the runner's placeholders
  std::optional<std::chrono::duration<double>> timeout;
  std::map<std::string, std::string> env;
  int tries = 1;  ///< in all, while it fails
  bool ignore_status = false;
};

/// Why a file cannot be had. `what` is a whole sentence with the file's name and what to do.
struct FileFailure {
  enum class Reason {
    wrong,       ///< the spec or its file: a mismatch, a path that leaves its root, nothing at a local path
    unavailable  ///< the outside: network, server, disk; a later try may succeed
  };
  Reason reason = Reason::wrong;
  std::string what;
};

/// A location that has to be downloaded.
struct RemoteLocation {
  std::string url;
};

/// A file or folder of this host that is there.
struct LocalLocation {
  std::filesystem::path path;
};

/// Where a file lies: http and https are remote, everything else is looked for on this host. What begins with
/// "//" stays under `root_model_dir`, whatever "..", and symbolic links in it say. A folder must not be one
/// that the spec lies in.
[[nodiscard]] std::variant<RemoteLocation, LocalLocation, FileFailure> locate(
    const FileSpec& file, const std::filesystem::path& root_model_dir);

/// Where a downloaded file has its place, FORMAT/MODEL/FILENAME under `cache`; a part that is no plain name
/// is refused.
[[nodiscard]] std::variant<std::filesystem::path, FileFailure> place_in_cache(
    const std::filesystem::path& cache, const std::string& format, const std::string& model,
    const std::string& filename);

/// "https" of "HTTPS://host/file", in lower case; empty if the location is none with a scheme.
[[nodiscard]] std::string scheme_of(std::string_view location);

/// A URL as sentences may show it: without user and password, and without what follows "?" or "#", for
/// signed addresses carry their secret there.
[[nodiscard]] std::string shown_url(const std::string& url);

/// Why a download from `from` does not follow the server to `to`; nothing if it does. From http it may go to
/// http and https, from https to https alone.
[[nodiscard]] std::optional<std::string> refused_redirect(const std::string& from, const std::string& to);

/// The path of "file:///folder/a%20file", which has to be on this host; nothing if it is none.
[[nodiscard]] std::optional<std::string> path_of_file_url(const std::string& url);

}  // namespace tandem::specs
