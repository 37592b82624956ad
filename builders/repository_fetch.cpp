#include <fmt/format.h>
#include <git2.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "builders/fetch.hpp"
#include "builders/repository_handles.hpp"
#include "runners/descriptor.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using git::Handle;
using git::Out;
using Kind = FetchFailure::Kind;

/// Ends the child's work from any depth.
struct Stop {
  FetchFailure failure;
};

struct Request {
  fs::path mirror;
  std::string branch;
  std::string url;
  fs::path seed;
  std::string shown;
};

bool tells_of_a_full_disk(std::string_view message) {
  return message.find("No space left") != std::string_view::npos ||
         message.find("quota exceeded") != std::string_view::npos;
}

Kind kind_of(int code) {
  const git_error* error = git_error_last();
  const std::string_view message = error == nullptr || error->message == nullptr ? "" : error->message;
  if (tells_of_a_full_disk(message)) return Kind::disk;
  if (code == GIT_EAUTH || code == GIT_ECERTIFICATE || git::is_owner_refusal(code)) return Kind::refused;
  if (message.starts_with("remote error")) return Kind::refused;
  switch (error == nullptr ? GIT_ERROR_NONE : error->klass) {
    case GIT_ERROR_ZLIB:
    case GIT_ERROR_ODB:
    case GIT_ERROR_OBJECT:
    case GIT_ERROR_TAG:
    case GIT_ERROR_TREE:
    case GIT_ERROR_INDEXER:
    case GIT_ERROR_SHA:
      return Kind::corrupt;
    case GIT_ERROR_NET:
    case GIT_ERROR_SSL:
    case GIT_ERROR_SSH:
    case GIT_ERROR_HTTP:
    case GIT_ERROR_OS:
    case GIT_ERROR_REPOSITORY:
      return Kind::unreachable;
    default:
      return Kind::internal;
  }
}

[[noreturn]] void stop(const Request& request, Kind kind, const std::string& why) {
  throw Stop{{kind, conceal(fmt::format("branch '{}' could not be fetched from {}: {}", request.branch,
                                        request.shown, why),
                            request.url)}};
}

void check(const Request& request, int code) {
  if (code >= 0) return;
  const Kind kind = kind_of(code);
  if (git::is_owner_refusal(code)) stop(request, kind, git::owner_sentence(request.url));
  if (code == GIT_EAUTH) stop(request, kind, "the server wants other credentials: " + git::last_message());
  stop(request, kind, git::last_message());
}

/// Empty for a source that is not on this file system.
fs::path local_path_of(const std::string& url) {
  constexpr std::string_view scheme = "file://";
  if (url.starts_with(scheme)) return url.substr(scheme.size());
  return is_url(url) ? fs::path() : fs::path(url);
}

struct Asked {
  int times = 0;
};

/// A password in the URL is used by libgit2 itself; here only the ssh agent is left.
int credentials(git_credential** credential, const char*, const char* user, unsigned allowed, void* payload) {
  constexpr int most = 4;
  if (++static_cast<Asked*>(payload)->times > most) return GIT_EAUTH;
  const char* login = user != nullptr ? user : "git";
  if ((allowed & GIT_CREDENTIAL_USERNAME) != 0) return git_credential_username_new(credential, login);
  if ((allowed & GIT_CREDENTIAL_SSH_KEY) != 0) return git_credential_ssh_key_from_agent(credential, login);
  return GIT_EAUTH;
}

/// What a server advertises: names of references and their objects; "name^{}" is what a tag points to.
using References = std::map<std::string, git_oid>;

std::string choose(const Request& request, const References& references) {
  for (const char* folder : {"refs/heads/", "refs/tags/", ""}) {
    std::string name = folder + request.branch;
    if (references.contains(name)) return name;
  }
  constexpr std::string_view heads = "refs/heads/";
  std::vector<std::string> branches;
  for (const auto& [name, id] : references) {
    if (name.starts_with(heads)) branches.push_back(name.substr(heads.size()));
  }
  throw Stop{{Kind::no_branch, missing_branch(request.shown, request.branch, std::move(branches))}};
}

std::string commit_at(const Request& request, git_repository* repository, const std::string& reference) {
  Handle<git_reference> found;
  const int code = git_reference_lookup(Out(found), repository, reference.c_str());
  if (code == GIT_ENOTFOUND) return {};
  check(request, code);
  Handle<git_object> commit;
  const int peeled = git_reference_peel(Out(commit), found.get(), GIT_OBJECT_COMMIT);
  if (peeled == GIT_EPEEL || peeled == GIT_EINVALIDSPEC) {
    stop(request, Kind::no_branch, "it is a tag of something that is not a commit");
  }
  if (peeled != 0) stop(request, Kind::corrupt, git::last_message());
  return git::hex(*git_object_id(commit.get()));
}

/// A connection to the source. It serves one download.
class Connection {
 public:
  Connection(const Request& request, git_repository* repository) : request_(request) {
    options_.update_fetchhead = 0;
    options_.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
    options_.proxy_opts.type = GIT_PROXY_AUTO;
    options_.callbacks.credentials = credentials;
    options_.callbacks.payload = &asked_;
    check(request, git_remote_create_anonymous(Out(remote_), repository, request.url.c_str()));
    check(request, git_remote_connect(remote_.get(), GIT_DIRECTION_FETCH, &options_.callbacks,
                                      &options_.proxy_opts, nullptr));
  }

  [[nodiscard]] References references() const {
    const git_remote_head** heads = nullptr;
    std::size_t count = 0;
    check(request_, git_remote_ls(&heads, &count, remote_.get()));
    References references;
    for (std::size_t i = 0; i < count; ++i) references.emplace(heads[i]->name, heads[i]->oid);
    return references;
  }

  /// Brings the objects of these references; the mirror's own references stay as they are.
  void download(const std::vector<std::string>& names) {
    std::vector<std::string> refspecs;
    for (const std::string& name : names) refspecs.push_back(fmt::format("+{0}:{0}", name));
    std::vector<char*> pointers;
    for (std::string& refspec : refspecs) pointers.push_back(refspec.data());
    const git_strarray wanted{pointers.data(), pointers.size()};
    check(request_, git_remote_download(remote_.get(), &wanted, &options_));
  }

 private:
  const Request& request_;
  Asked asked_;
  git_fetch_options options_ = GIT_FETCH_OPTIONS_INIT;
  Handle<git_remote> remote_;
};

void set_reference(const Request& request, git_repository* repository, const std::string& name,
                   const git_oid& id) {
  Handle<git_reference> created;
  check(request, git_reference_create(Out(created), repository, name.c_str(), &id, 1, "tandem: fetch"));
}

bool is_at(git_repository* repository, const std::string& name, const git_oid& id) {
  git_oid local;
  return git_reference_name_to_id(&local, repository, name.c_str()) == 0 && git_oid_equal(&local, &id) != 0;
}

/// Brings the tags of commits that the mirror holds. A tag that cannot be had is left out: it must not keep
/// the branch from being followed.
void follow_tags(const Request& request, git_repository* repository, const References& references) {
  Handle<git_odb> odb;
  check(request, git_repository_odb(Out(odb), repository));
  const auto holds = [&](const git_oid& id) {
    // Without a refresh for each miss: most tags of a large project lie on other branches.
    return git_odb_exists_ext(odb.get(), &id, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
  };
  std::vector<std::string> wanted;
  std::vector<std::string> missing;
  for (const auto& [name, id] : references) {
    if (!name.starts_with("refs/tags/") || name.ends_with("^{}") || is_at(repository, name, id)) continue;
    const auto target = references.find(name + "^{}");
    if (!holds(target == references.end() ? id : target->second)) continue;
    wanted.push_back(name);
    if (!holds(id)) missing.push_back(name);
  }
  try {
    if (!missing.empty()) Connection(request, repository).download(missing);
    for (const std::string& name : wanted) set_reference(request, repository, name, references.at(name));
  } catch (const Stop&) {
    return;
  }
}

Tip::Move move_of(const Request& request, git_repository* repository, const Tip& tip) {
  if (tip.previous.empty()) return Tip::Move::first;
  if (tip.previous == tip.id) return Tip::Move::same;
  git_oid now;
  git_oid before;
  git_oid_fromstr(&now, tip.id.c_str());
  git_oid_fromstr(&before, tip.previous.c_str());
  const int descends = git_graph_descendant_of(repository, &now, &before);
  check(request, descends);
  return descends == 1 ? Tip::Move::forward : Tip::Move::rewritten;
}

Tip bring(const Request& request) {
  const std::string ours = mirror_reference(request.branch);
  if (git_reference_is_valid_name(ours.c_str()) != 1) {
    stop(request, Kind::no_branch, "this is not a possible name of a branch");
  }
  const runners::OwnedDescriptor held = git::lock_mirror(request.mirror);
  const Handle<git_repository> repository =
      git::open_or_create_mirror(request.mirror, {request.seed, local_path_of(request.url)});
  const std::string previous = commit_at(request, repository.get(), ours);

  Connection connection(request, repository.get());
  const References references = connection.references();
  const std::string theirs = choose(request, references);
  const git_oid& advertised = references.at(theirs);
  if (!is_at(repository.get(), ours, advertised)) {
    connection.download({theirs});
    set_reference(request, repository.get(), ours, advertised);
  }
  follow_tags(request, repository.get(), references);

  Tip tip{commit_at(request, repository.get(), ours), previous, Tip::Move::first};
  tip.move = move_of(request, repository.get(), tip);
  return tip;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

int fetch_in_child(const std::vector<std::string>& arguments) {
  const std::string url = variable(fetch_protocol::url_variable);
  if (arguments.size() != 2 || url.empty()) {
    std::fputs("internal-fetch is started by tandem itself\n", stderr);
    return 2;
  }
  const Request request{arguments[0], arguments[1], url, variable(fetch_protocol::seed_variable),
                        without_credentials(url)};
  std::variant<Tip, FetchFailure> answer;
  try {
    git::start();
    answer = bring(request);
  } catch (const Stop& stopped) {
    answer = stopped.failure;
  } catch (const std::exception& error) {
    answer = FetchFailure{tells_of_a_full_disk(error.what()) ? Kind::disk : Kind::internal,
                          conceal(error.what(), url)};
  }
  std::fputs(fetch_protocol::write(answer).c_str(), stdout);
  std::fflush(stdout);
  return std::holds_alternative<Tip>(answer) ? 0 : 4;
}

}  // namespace tandem::builders
