#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builders/fetch.hpp"
#include "builders/git/credentials.hpp"
#include "builders/git/handles.hpp"

/// The fetching child's side of the network; only repository_*.cpp include this.
namespace tandem::builders::git {

/// What is fetched from where, and the words for it.
struct Errand {
  std::string what;  ///< begins every sentence: "branch 'main'"
  std::string url;
  std::string shown;
  std::filesystem::path key_file;
  std::filesystem::path token_file;
  Credentials::Agent agent = Credentials::Agent::offered;
};

/// Ends the child's work from any depth.
struct Stop {
  FetchFailure failure;
};

/// "<what> could not be fetched from <shown>: <why>", without credentials.
[[noreturn]] void stop(const Errand& errand, FetchFailure::Kind kind, const std::string& why);

/// Stops if libgit2's code is an error, with its own words about the last failed call.
void check(const Errand& errand, int code);

[[nodiscard]] bool tells_of_a_full_disk(std::string_view message);

/// Empty for a source that is not on this file system.
[[nodiscard]] std::filesystem::path local_path_of(const std::string& url);

/// What a server advertises: names of references and their objects in hexadecimal; "name^{}" is what a tag
/// points to.
using References = std::map<std::string, std::string>;

/// A connection to the source. It serves one download.
class Connection {
 public:
  /// Stops if the source cannot be reached, refuses, is not trusted, or is shallow or partial.
  Connection(const Errand& errand, git_repository* repository);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] References references() const;

  /// Brings the objects of these references or ids; the mirror's own references stay as they are.
  void download(const std::vector<std::string>& names);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace tandem::builders::git
