#include "builders/git/remote.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>

#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::git {
namespace {

namespace fs = std::filesystem;
using FetchKind = FetchFailure::Kind;

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

std::string_view message_of_last() {
  const git_error* error = git_error_last();
  return error == nullptr || error->message == nullptr ? "" : error->message;
}

FetchKind kind_of_error(int code) {
  const git_error* error = git_error_last();
  const std::string_view message = message_of_last();
  if (tells_of_a_full_disk(message)) return FetchKind::disk;
  if (code == GIT_EAUTH || code == GIT_ECERTIFICATE || is_owner_refusal(code)) return FetchKind::refused;
  if (message.starts_with("remote error")) return FetchKind::refused;
  switch (error == nullptr ? GIT_ERROR_NONE : error->klass) {
    case GIT_ERROR_ZLIB:
    case GIT_ERROR_ODB:
    case GIT_ERROR_OBJECT:
    case GIT_ERROR_TAG:
    case GIT_ERROR_TREE:
    case GIT_ERROR_INDEXER:
    case GIT_ERROR_SHA:
      return FetchKind::corrupt;
    case GIT_ERROR_NET:
    case GIT_ERROR_SSL:
    case GIT_ERROR_SSH:
    case GIT_ERROR_HTTP:
    case GIT_ERROR_OS:
    case GIT_ERROR_REPOSITORY:
      return FetchKind::unreachable;
    default:
      return FetchKind::internal;
  }
}

/// Tells the parent that something arrived, or that what arrived is being indexed; it waits longer then.
int tell_progress(const git_indexer_progress* progress, void*) {
  using Clock = std::chrono::steady_clock;
  static Clock::time_point told{};
  static std::size_t seen = 0;
  const char* channel = std::getenv(fetch_protocol::channel_variable);
  const std::size_t now = progress->received_bytes + progress->indexed_objects + progress->indexed_deltas;
  if (channel == nullptr || now == seen || Clock::now() < told + std::chrono::milliseconds{100}) return 0;
  seen = now;
  told = Clock::now();
  // A parent that does not listen any more ends this child by itself.
  static_cast<void>(::send(std::atoi(channel), "progress\n", 9, MSG_DONTWAIT | MSG_NOSIGNAL));
  return 0;
}

/// The local transport of libgit2 reads the objects of the other repository itself and would not notice that
/// some are missing before half of the history is copied.
void refuse_incomplete(const FetchOrder& order) {
  const fs::path path = local_path_of(order.url);
  Handle<git_repository> source;
  if (path.empty() || open(source, path) != 0) return;
  const std::string lacking = what_is_lacking(source.get());
  if (!lacking.empty()) stop(order, FetchKind::refused, "it " + lacking);
}

/// It would also read a file that a crash has cut short until the deadline.
void refuse_cut_objects(const FetchOrder& order) {
  const fs::path path = local_path_of(order.url);
  Handle<git_repository> source;
  if (path.empty() || open(source, path) != 0) return;
  const fs::path cut = find_cut_object(fs::path(git_repository_commondir(source.get())) / "objects");
  if (cut.empty()) return;
  stop(order, FetchKind::corrupt,
       fmt::format("its object '{}' is cut short; run `git fsck` there and fetch or restore the object",
                   cut.string()));
}

}  // namespace

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
  url_ = without_user_information(url);
  login_ = login_of(url, token_file);
  origin_of_login_ = token_file.empty() ? "the user information of the URL"
                                        : fmt::format("the token file '{}'", token_file.string());
}

void Credentials::set_callbacks(git_remote_callbacks& callbacks) {
  callbacks.payload = this;
  callbacks.credentials = [](git_credential** credential, const char*, const char* user, unsigned allowed,
                             void* payload) -> int {
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
    if ((allowed & GIT_CREDENTIAL_USERPASS_PLAINTEXT) != 0 && mine.login_ && !mine.shown_login_) {
      mine.shown_login_ = true;
      mine.tried_.push_back(mine.origin_of_login_);
      return git_credential_userpass_plaintext_new(credential, mine.login_->user.c_str(),
                                                   mine.login_->password.c_str());
    }
    return GIT_EAUTH;
  };
  callbacks.certificate_check = [](git_cert* certificate, int valid, const char* host, void* payload) -> int {
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
  };
}

std::string Credentials::refusal() const {
  if (agent_ == Agent::withheld && tried_.empty()) {
    return "the server wants credentials, and those of the repository are shown to its own host only; take "
           "the submodule from there, or from a server that asks for none";
  }
  const std::string tried = tried_.empty()
                                ? "there were none to show"
                                : fmt::format("{} {} not accepted", fmt::join(tried_, " and "),
                                              tried_.front().starts_with("the keys") ? "were" : "was");
  const char* remedy =
      is_http(given_) ? "write `user:password` or a token into a file of mode 600 and name it as token_file"
                      : "name a private key without passphrase as key_file, of type ed25519 or ecdsa, or "
                        "start the daemon with an agent (SSH_AUTH_SOCK) that holds one";
  return fmt::format("the server wants other credentials: {}; {}", tried, remedy);
}

std::string Credentials::conceal(std::string text) const {
  return builders::conceal(std::move(text), given_, login_ ? login_->password : "");
}

bool tells_of_a_full_disk(std::string_view message) {
  return message.find("No space left") != std::string_view::npos ||
         message.find("quota exceeded") != std::string_view::npos;
}

void stop(const FetchOrder& order, FetchKind kind, const std::string& why) {
  const std::string sentence =
      fmt::format("{} could not be fetched from {}: {}", order.what, order.shown, why);
  throw Stop{{kind, conceal(sentence, order.url)}};
}

void check(const FetchOrder& order, int code) {
  if (code >= 0) return;
  const FetchKind kind = kind_of_error(code);
  if (is_owner_refusal(code)) stop(order, kind, owner_sentence(order.url));
  stop(order, kind, last_message());
}

Connection::Connection(const FetchOrder& order, git_repository* repository) try
    : order_(order), credentials_(order.url, order.key_file, order.token_file, order.agent) {
  refuse_incomplete(order);
  options_.update_fetchhead = 0;
  options_.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
  options_.proxy_opts.type = GIT_PROXY_AUTO;
  options_.follow_redirects =
      credentials_.has_password() ? GIT_REMOTE_REDIRECT_NONE : GIT_REMOTE_REDIRECT_INITIAL;
  credentials_.set_callbacks(options_.callbacks);
  options_.callbacks.transfer_progress = tell_progress;
  check(git_remote_create_anonymous(Out(remote_), repository, credentials_.url().c_str()));
  git_remote_connect_options how = GIT_REMOTE_CONNECT_OPTIONS_INIT;
  how.callbacks = options_.callbacks;
  how.proxy_opts = options_.proxy_opts;
  how.follow_redirects = options_.follow_redirects;
  check(git_remote_connect_ext(remote_.get(), GIT_DIRECTION_FETCH, &how));
  connected_ = true;
} catch (const InputError& error) {
  git::stop(order, FetchKind::refused, error.what());
}

void Connection::check(int code) const {
  if (code >= 0) return;
  const auto refuse = [&](const std::string& why) { git::stop(order_, FetchKind::refused, why); };
  if (!credentials_.distrust().empty()) refuse(credentials_.distrust());
  // A key that cannot be used is an error of ssh like any other, but comes after the question.
  const git_error* error = git_error_last();
  const bool by_ssh = error != nullptr && error->klass == GIT_ERROR_SSH && !connected_;
  if (code == GIT_EAUTH || (by_ssh && credentials_.asked())) refuse(credentials_.refusal());
  // libgit2 1.5 takes the line "shallow ID" of a server for a broken reference.
  if (message_of_last().find("error parsing REF pkt-line") != std::string_view::npos) {
    refuse(
        "the server's list of references cannot be read, as when its repository is shallow; run "
        "`git fetch --unshallow` there, or give the URL of the repository it was cloned from");
  }
  if (is_owner_refusal(code)) refuse(owner_sentence(order_.url));
  git::stop(order_, kind_of_error(code), credentials_.conceal(last_message()));
}

References Connection::references() const {
  const git_remote_head** heads = nullptr;
  std::size_t count = 0;
  check(git_remote_ls(&heads, &count, remote_.get()));
  References references;
  for (std::size_t i = 0; i < count; ++i) references.emplace(heads[i]->name, hex(heads[i]->oid));
  return references;
}

void Connection::download(const std::vector<std::string>& names) {
  refuse_cut_objects(order_);
  std::vector<std::string> refspecs;
  for (const std::string& name : names) {
    // A destination that no reference will have: nothing is updated here, only objects are brought.
    refspecs.push_back(name.starts_with("refs/") ? fmt::format("+{0}:{0}", name)
                                                 : fmt::format("+{0}:refs/tandem-ids/{0}", name));
  }
  std::vector<char*> pointers;
  for (std::string& refspec : refspecs) pointers.push_back(refspec.data());
  const git_strarray wanted{pointers.data(), pointers.size()};
  check(git_remote_download(remote_.get(), &wanted, &options_));
}

}  // namespace tandem::builders::git
