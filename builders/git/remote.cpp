#include "builders/git/remote.hpp"

#include <fmt/format.h>
#include <git2.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>

#include "builders/git/credentials.hpp"
#include "builders/git/object_seed.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders::git {
namespace {

namespace fs = std::filesystem;
using FetchKind = FetchFailure::Kind;

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
void refuse_incomplete(const Errand& errand) {
  const fs::path path = local_path_of(errand.url);
  Handle<git_repository> source;
  if (path.empty() || open(source, path) != 0) return;
  const std::string lacking = what_is_lacking(source.get());
  if (!lacking.empty()) stop(errand, FetchKind::refused, "it " + lacking);
}

/// It would also read a file that a crash has cut short until the deadline.
void refuse_cut_objects(const Errand& errand) {
  const fs::path path = local_path_of(errand.url);
  Handle<git_repository> source;
  if (path.empty() || open(source, path) != 0) return;
  const fs::path cut = find_cut_object(fs::path(git_repository_commondir(source.get())) / "objects");
  if (cut.empty()) return;
  stop(errand, FetchKind::corrupt,
       fmt::format("its object '{}' is cut short; run `git fsck` there and fetch or restore the object",
                   cut.string()));
}

}  // namespace

bool tells_of_a_full_disk(std::string_view message) {
  return message.find("No space left") != std::string_view::npos ||
         message.find("quota exceeded") != std::string_view::npos;
}

void stop(const Errand& errand, FetchKind kind, const std::string& why) {
  const std::string sentence =
      fmt::format("{} could not be fetched from {}: {}", errand.what, errand.shown, why);
  throw Stop{{kind, conceal(sentence, errand.url)}};
}

void check(const Errand& errand, int code) {
  if (code >= 0) return;
  const FetchKind kind = kind_of_error(code);
  if (is_owner_refusal(code)) stop(errand, kind, owner_sentence(errand.url));
  stop(errand, kind, last_message());
}

fs::path local_path_of(const std::string& url) {
  constexpr std::string_view scheme = "file://";
  if (url.starts_with(scheme)) return url.substr(scheme.size());
  return is_url(url) ? fs::path() : fs::path(url);
}

struct Connection::Inside {
  explicit Inside(const Errand& given)
      : errand(given), credentials(given.url, given.key_file, given.token_file, given.agent) {}

  void check(int code) const {
    if (code >= 0) return;
    if (!credentials.distrust().empty()) {
      git::stop(errand, FetchKind::refused, credentials.distrust());
    }
    // A key that cannot be used is an error of ssh like any other, but comes after the question.
    const git_error* error = git_error_last();
    const bool by_ssh = error != nullptr && error->klass == GIT_ERROR_SSH && !connected;
    if (code == GIT_EAUTH || (by_ssh && credentials.asked())) {
      git::stop(errand, FetchKind::refused, credentials.refusal());
    }
    // libgit2 1.5 takes the line "shallow ID" of a server for a broken reference.
    if (message_of_last().find("error parsing REF pkt-line") != std::string_view::npos) {
      git::stop(errand, FetchKind::refused,
                "the server's list of references cannot be read, as when its repository is shallow; run "
                "`git fetch --unshallow` there, or give the URL of the repository it was cloned from");
    }
    if (is_owner_refusal(code)) git::stop(errand, FetchKind::refused, owner_sentence(errand.url));
    git::stop(errand, kind_of_error(code), credentials.conceal(last_message()));
  }

  Errand errand;
  Credentials credentials;
  git_fetch_options options = GIT_FETCH_OPTIONS_INIT;
  Handle<git_remote> remote;
  bool connected = false;
};

Connection::Connection(const Errand& errand, git_repository* repository) {
  try {
    inside_ = std::make_unique<Inside>(errand);
  } catch (const InputError& error) {
    git::stop(errand, FetchKind::refused, error.what());
  }
  refuse_incomplete(errand);
  Inside& in = *inside_;
  in.options.update_fetchhead = 0;
  in.options.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
  in.options.proxy_opts.type = GIT_PROXY_AUTO;
  in.options.follow_redirects =
      in.credentials.has_password() ? GIT_REMOTE_REDIRECT_NONE : GIT_REMOTE_REDIRECT_INITIAL;
  in.credentials.set_callbacks(in.options.callbacks);
  in.options.callbacks.transfer_progress = tell_progress;
  in.check(git_remote_create_anonymous(Out(in.remote), repository, in.credentials.url().c_str()));
  git_remote_connect_options how = GIT_REMOTE_CONNECT_OPTIONS_INIT;
  how.callbacks = in.options.callbacks;
  how.proxy_opts = in.options.proxy_opts;
  how.follow_redirects = in.options.follow_redirects;
  in.check(git_remote_connect_ext(in.remote.get(), GIT_DIRECTION_FETCH, &how));
  in.connected = true;
}

Connection::~Connection() = default;

References Connection::references() const {
  const git_remote_head** heads = nullptr;
  std::size_t count = 0;
  inside_->check(git_remote_ls(&heads, &count, inside_->remote.get()));
  References references;
  for (std::size_t i = 0; i < count; ++i) references.emplace(heads[i]->name, hex(heads[i]->oid));
  return references;
}

void Connection::download(const std::vector<std::string>& names) {
  refuse_cut_objects(inside_->errand);
  std::vector<std::string> refspecs;
  for (const std::string& name : names) {
    // A destination that no reference will have: nothing is updated here, only objects are brought.
    refspecs.push_back(name.starts_with("refs/") ? fmt::format("+{0}:{0}", name)
                                                 : fmt::format("+{0}:refs/tandem-ids/{0}", name));
  }
  std::vector<char*> pointers;
  for (std::string& refspec : refspecs) pointers.push_back(refspec.data());
  const git_strarray wanted{pointers.data(), pointers.size()};
  inside_->check(git_remote_download(inside_->remote.get(), &wanted, &inside_->options));
}

}  // namespace tandem::builders::git
