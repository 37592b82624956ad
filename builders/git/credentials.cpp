#include "builders/git/credentials.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <git2.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "builders/source.hpp"
#include "builders/token.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::git {
namespace {

namespace fs = std::filesystem;

bool is_http(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

bool has_agent() {
  const char* socket = std::getenv("SSH_AUTH_SOCK");
  return socket != nullptr && *socket != '\0';
}

/// As ssh writes it: SHA256: and base64 without padding.
std::string fingerprint(const git_cert_hostkey& key) {
  if ((key.type & GIT_CERT_SSH_SHA256) == 0) return "of unknown fingerprint";
  unsigned char text[48];
  const int size = EVP_EncodeBlock(text, key.hash_sha256, sizeof key.hash_sha256);
  std::string_view shown(reinterpret_cast<const char*>(text), static_cast<std::size_t>(size));
  while (shown.ends_with('=')) shown.remove_suffix(1);
  return fmt::format("SHA256:{}", shown);
}

}  // namespace

std::string secret_problem(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || ::access(file.c_str(), R_OK) != 0) {
    return fmt::format("'{}' cannot be read: {}", file.string(), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return fmt::format("'{}' is not a file", file.string());
  if ((status.st_mode & 077U) != 0) {
    return fmt::format("'{0}' can be read or written by other users; run `chmod 600 {0}`", file.string());
  }
  return {};
}

/// libgit2 calls these with a Credentials as payload.
struct CredentialCallbacks {
  static int show(git_credential** credential, const char*, const char* user, unsigned allowed,
                  void* payload) {
    auto& mine = *static_cast<Credentials*>(payload);
    const char* login = user != nullptr ? user : "git";
    if ((allowed & GIT_CREDENTIAL_USERNAME) != 0) return git_credential_username_new(credential, login);
    mine.asked_ = true;
    if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0 && !mine.shown_key_) {
      mine.shown_key_ = true;
      if (!mine.key_file_.empty()) {
        mine.tried_.push_back(fmt::format("the key file '{}'", mine.key_file_.string()));
        return git_credential_ssh_key_new(credential, login, nullptr, mine.key_file_.c_str(), nullptr);
      }
      if (has_agent() && mine.agent_ == Credentials::Agent::offered) {
        mine.tried_.emplace_back("the keys of the ssh agent");
        return git_credential_ssh_key_from_agent(credential, login);
      }
    }
    if ((allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT) != 0 && mine.shown_logins_ < mine.logins_.size()) {
      const Credentials::Login& next = mine.logins_[mine.shown_logins_++];
      mine.tried_.push_back(next.origin);
      return git_credential_userpass_plaintext_new(credential, next.user.c_str(), next.password.c_str());
    }
    return GIT_EAUTH;
  }

  static int judge(git_cert* certificate, int valid, const char* host, void* payload) {
    if (valid != 0) return 0;
    auto& mine = *static_cast<Credentials*>(payload);
    const std::string name = printable(host == nullptr ? "the server" : host, 200);
    if (certificate->cert_type == GIT_CERT_HOSTKEY_LIBSSH2) {
      const auto* key = reinterpret_cast<const git_cert_hostkey*>(certificate);
      mine.distrust_ = fmt::format(
          "the ssh key of {0}, {1}, is not in ~/.ssh/known_hosts; compare it with what its owner publishes, "
          "then run `ssh {0}` or `ssh-keyscan {0} >> ~/.ssh/known_hosts` as the user who runs tandem, with "
          "the port (-p) if it is not 22",
          name, fingerprint(*key));
    } else {
      mine.distrust_ = fmt::format(
          "the certificate of {} is not valid: it has expired, is made for another name, or its authority is "
          "not among those of this system; add the authority to them, or name a file in SSL_CERT_FILE",
          name);
    }
    git_error_set_str(GIT_ERROR_SSL, mine.distrust_.c_str());
    return GIT_ECERTIFICATE;
  }
};

Credentials::Credentials(const std::string& url, const fs::path& key_file, const fs::path& token_file,
                         Agent agent)
    : given_(url), url_(url), key_file_(key_file), agent_(agent) {
  if (!is_http(url)) {
    if (!key_file.empty()) {
      if (const auto problem = secret_problem(key_file); !problem.empty()) {
        throw InputError("the key file " + problem);
      }
    }
    return;
  }
  const std::string_view in_url = user_information(url);
  const auto colon = in_url.find(':');
  std::string user = decoded(in_url.substr(0, colon));
  if (!in_url.empty()) url_.erase(url_.find("://") + 3, in_url.size() + 1);
  if (!token_file.empty()) {
    if (const auto problem = secret_problem(token_file); !problem.empty()) {
      throw InputError("the token file " + problem);
    }
    const std::string token = read_token(token_file);
    const auto split = token.find(':');
    const std::string origin = fmt::format("the token file '{}'", token_file.string());
    if (split != std::string::npos) {
      logins_.push_back({token.substr(0, split), token.substr(split + 1), origin});
    } else {
      // Servers that take tokens take any user; this one is what GitHub's applications must use.
      logins_.push_back({user.empty() ? "x-access-token" : user, token, origin});
    }
  } else if (!in_url.empty()) {
    std::string password = colon == std::string_view::npos ? "" : decoded(in_url.substr(colon + 1));
    logins_.push_back({std::move(user), std::move(password), "the user information of the URL"});
  }
}

void Credentials::set_callbacks(git_remote_callbacks& callbacks) {
  callbacks.credentials = CredentialCallbacks::show;
  callbacks.certificate_check = CredentialCallbacks::judge;
  callbacks.payload = this;
}

std::string Credentials::refusal() const {
  if (agent_ == Agent::withheld && tried_.empty()) {
    return "the server wants credentials, and those of the repository are shown to its own host only; take "
           "the "
           "submodule from there, or from a server that asks for none";
  }
  const std::string tried = tried_.empty()
                                ? "there were none to show"
                                : fmt::format("{} {} not accepted", fmt::join(tried_, " and "),
                                              tried_.front().starts_with("the keys") ? "were" : "was");
  const char* remedy =
      is_http(given_) ? "write `user:password` or a token into a file of mode 600 and name it as token_file"
                      : "name a private key without passphrase as key_file, of type ed25519 or ecdsa, or "
                        "start the daemon "
                        "with an agent (SSH_AUTH_SOCK) that holds one";
  return fmt::format("the server wants other credentials: {}; {}", tried, remedy);
}

std::string Credentials::conceal(std::string text) const {
  text = builders::conceal(std::move(text), given_);
  for (const Login& login : logins_) {
    if (login.password.empty()) continue;
    constexpr std::string_view hidden = "…";
    for (auto at = text.find(login.password); at != std::string::npos;
         at = text.find(login.password, at + hidden.size())) {
      text.replace(at, login.password.size(), hidden);
    }
  }
  return text;
}

}  // namespace tandem::builders::git
