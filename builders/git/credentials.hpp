#pragma once

#include <filesystem>
#include <string>
#include <vector>

struct git_remote_callbacks;

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
  [[nodiscard]] bool has_password() const { return !logins_.empty(); }

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
  friend struct CredentialCallbacks;

  struct Login {
    std::string user;
    std::string password;
    std::string origin;
  };

  std::string given_;  ///< the URL with everything in it
  std::string url_;
  std::filesystem::path key_file_;
  Agent agent_;
  std::vector<Login> logins_;
  std::size_t shown_logins_ = 0;
  bool shown_key_ = false;
  bool asked_ = false;
  std::vector<std::string> tried_;
  std::string distrust_;
};

/// What keeps a file from holding a secret, as a sentence that begins with its path; empty if nothing does.
[[nodiscard]] std::string secret_problem(const std::filesystem::path& file);

}  // namespace tandem::builders::git
