#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "builders/fetch.hpp"
#include "builders/git/repository.hpp"

/// The fetching child's side of the network, and submodules; nobody outside this room includes this.
namespace tandem::builders::git {

/// What one server may be shown to prove who asks. Each thing is shown once: for ssh the key file, else the
/// agent; for http the token file, else the user information of the URL. The payload of libgit2's callbacks,
/// so it stays where it is. No text it gives holds a secret.
class Credentials {
 public:
  enum class Agent { offered, withheld };  ///< withheld from hosts that the user did not name

  /// Reads the token file. Throws InputError if a file cannot be read or others can read it.
  Credentials(const std::string& url, const std::filesystem::path& key_file,
              const std::filesystem::path& token_file, Agent agent = Agent::offered);
  Credentials(const Credentials&) = delete;
  Credentials& operator=(const Credentials&) = delete;

  /// The URL to connect to: for http without user information, which comes through the callback.
  [[nodiscard]] const std::string& url() const { return url_; }

  /// True if a redirection to another host would carry a password there.
  [[nodiscard]] bool has_password() const { return login_.has_value(); }

  void set_callbacks(git_remote_callbacks& callbacks);

  /// Why the server was not trusted: its key or certificate; empty if it was.
  [[nodiscard]] const std::string& distrust() const { return distrust_; }

  /// True if something was shown, or if there was nothing to show, and the connection failed after that.
  [[nodiscard]] bool asked() const { return asked_; }

  /// What was tried and what to write instead.
  [[nodiscard]] std::string refusal() const;

  /// `text` without any password of these.
  [[nodiscard]] std::string conceal(std::string text) const;

 private:
  std::string given_;  ///< the URL with everything in it
  std::string url_;
  std::filesystem::path key_file_;
  Agent agent_;
  std::optional<Login> login_;
  std::string origin_of_login_;
  bool shown_login_ = false;
  bool shown_key_ = false;
  bool asked_ = false;
  std::vector<std::string> tried_;
  std::string distrust_;
};

/// What is fetched from where, and the words for it.
struct FetchOrder {
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
[[noreturn]] void stop(const FetchOrder& order, FetchFailure::Kind kind, const std::string& why);

/// Stops if libgit2's code is an error, with its own words about the last failed call.
void check(const FetchOrder& order, int code);

[[nodiscard]] bool tells_of_a_full_disk(std::string_view message);

/// What a server advertises: names of references and their objects in hexadecimal; "name^{}" is what a tag
/// points to.
using References = std::map<std::string, std::string>;

/// A connection to the source. It serves one download.
class Connection {
 public:
  /// Stops if the source cannot be reached, refuses, is not trusted, or is shallow or partial.
  Connection(const FetchOrder& order, git_repository* repository);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] References references() const;

  /// Brings the objects of these references or ids; the mirror's own references stay as they are.
  void download(const std::vector<std::string>& names);

 private:
  /// Stops if libgit2's code is an error, with what can be said about it.
  void check(int code) const;

  FetchOrder order_;
  Credentials credentials_;
  git_fetch_options options_ = GIT_FETCH_OPTIONS_INIT;
  Handle<git_remote> remote_;
  bool connected_ = false;
};

/// One entry of a .gitmodules file.
struct GitModule {
  std::string path;
  std::string url;  ///< as written; may be relative to the URL of the repository that holds the file
};

/// The entries of a .gitmodules file that have a path and a URL, in the order of their first line. The file
/// comes with the commit: what cannot be understood is left out, and so is a path that would leave the tree.
[[nodiscard]] std::vector<GitModule> read_gitmodules(std::string_view text);

/// The URL of a submodule, as git resolves it against the URL of its parent. Throws InputError for what is
/// not http, https, ssh or git, and for a file unless the parent is one.
[[nodiscard]] std::string submodule_url(const std::string& parent, const std::string& written);

/// True if both are asked over the same protocol at the same host and port: only then may one see what
/// identifies the daemon to the other.
[[nodiscard]] bool is_same_host(std::string_view one, std::string_view other);

/// A commit inside a commit may hold another: this many levels are followed.
inline constexpr std::size_t deepest_submodule = 8;

struct Submodule {
  std::string path;
  std::string id;
  std::string url;     ///< as written
  std::string mirror;  ///< the name of its mirror in the directory of submodules
};

/// Where the mirrors of all submodules below a mirror lie, side by side.
[[nodiscard]] std::filesystem::path modules_of(const std::filesystem::path& mirror);

/// The submodules that a commit records and describes in .gitmodules. `parent` is the name of the mirror that
/// holds the commit, empty for the first. Throws Error if the mirror is damaged.
[[nodiscard]] std::vector<Submodule> submodules_of(git_repository* repository, const git_oid& commit,
                                                   const std::string& parent);

/// The child's side of fetch_submodules. Throws Stop.
void bring_submodules(const std::filesystem::path& mirror, const std::string& commit,
                      const FetchOrder& parent);

}  // namespace tandem::builders::git
