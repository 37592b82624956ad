#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "builders/git/repository.hpp"
#include "builders/hg/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace git {

void start() {
  static const bool started = [] {
    if (git_libgit2_init() < 0) fail("initialise libgit2");
    // Every object is read once per walk: the cache only costs, and would keep up to 256 MiB in an idle
    // daemon.
    git_libgit2_opts(GIT_OPT_ENABLE_CACHING, 0);
    // A mirror of many packs must not take every descriptor; those least used are closed and opened again.
    constexpr std::size_t most_open_packs = 64;
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_FILE_LIMIT, most_open_packs);
    // Partial clones are opened, to say that they are partial.
    const char* extensions[] = {"partialclone"};
    git_libgit2_opts(GIT_OPT_SET_EXTENSIONS, extensions, std::size(extensions));
    // Other programs look for authorities there; libgit2 does not.
    const char* file = std::getenv("SSL_CERT_FILE");
    const char* folder = std::getenv("SSL_CERT_DIR");
    if (file != nullptr || folder != nullptr) {
      git_libgit2_opts(GIT_OPT_SET_SSL_CERT_LOCATIONS, file, folder);
    }
    return true;
  }();
  static_cast<void>(started);
}

std::string last_message() {
  const git_error* error = git_error_last();
  return error == nullptr || error->message == nullptr ? "no reason given" : printable(error->message, 500);
}

void fail(const std::string& doing) {
  throw Error(fmt::format("cannot {}: {}", doing, last_message()));
}

int open(Handle<git_repository>& repository, const std::filesystem::path& path) {
  start();
  const int code =
      git_repository_open_ext(Out(repository), path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  return is_owner_refusal(code) ? GIT_EOWNER : code;
}

bool is_owner_refusal(int code) {
  // libgit2 1.5 looks for safe.directory when the owner is another, and returns that this value was not
  // found.
  const git_error* error = git_error_last();
  return code == GIT_EOWNER ||
         (code == GIT_ENOTFOUND && error != nullptr && error->klass == GIT_ERROR_CONFIG &&
          std::string_view(error->message).find("safe.directory") != std::string_view::npos);
}

std::string owner_sentence(const std::filesystem::path& path) {
  return fmt::format(
      "the repository '{0}' belongs to another user and is therefore not read; if you trust it, run "
      "`git config --global --add safe.directory '{0}'` as the user who runs tandem, or give its URL instead",
      path.string());
}

std::string hex(const git_oid& id) {
  char text[GIT_OID_HEXSZ + 1];
  return git_oid_tostr(text, sizeof text, &id);
}

git_oid parse_id(const std::string& text) {
  git_oid id;
  if (text.size() != GIT_OID_HEXSZ || git_oid_fromstr(&id, text.c_str()) != 0) {
    throw Error(fmt::format("'{}' is not a full commit id", printable(text, 80)));
  }
  return id;
}

std::vector<std::string> references_below(git_repository* repository, std::string_view folder) {
  const auto collect = [](const char* name, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  if (git_reference_foreach_name(repository, collect, &names) != 0) fail("list the references");
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(folder); });
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace git

namespace {

namespace fs = std::filesystem;
using git::Handle;
using git::Out;

/// The commit that a reference names, through tags.
std::optional<git_oid> commit_of_reference(git_repository* repository, const std::string& name) {
  if (git_reference_is_valid_name(name.c_str()) != 1) return std::nullopt;
  Handle<git_reference> reference;
  const int found = git_reference_lookup(Out(reference), repository, name.c_str());
  if (found == GIT_ENOTFOUND) return std::nullopt;
  if (found != 0) git::fail("read " + name);
  Handle<git_object> object;
  const int peeled = git_reference_peel(Out(object), reference.get(), GIT_OBJECT_COMMIT);
  if (peeled == GIT_EPEEL || peeled == GIT_EINVALIDSPEC) return std::nullopt;
  if (peeled != 0) git::fail("read the commit of " + name);
  return *git_object_id(object.get());
}

/// Whether the last call says "none" because an object could not be read, rather than because there is none.
bool lacked_an_object() {
  const git_error* error = git_error_last();
  return error != nullptr && error->klass != GIT_ERROR_NONE && error->klass != GIT_ERROR_MERGE;
}

bool is_hexadecimal(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
}

fs::path absolute_path(const std::string& text) {
  std::error_code ignored;
  fs::path path = fs::weakly_canonical(fs::absolute(text), ignored);
  return path.empty() ? fs::path(text) : path;
}

Handle<git_repository> open_given(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw InputError(fmt::format("there is no repository at '{}': the path does not exist", path.string()));
  }
  Handle<git_repository> repository;
  const int opened = git::open(repository, path);
  if (opened == GIT_EOWNER) throw InputError(git::owner_sentence(path));
  if (opened == GIT_ENOTFOUND) {
    throw InputError(fmt::format(
        "'{}' is not a git repository; give the top directory of a clone, a bare repository or a URL",
        path.string()));
  }
  if (opened != 0) {
    throw InputError(
        fmt::format("the repository '{}' cannot be opened: {}", path.string(), git::last_message()));
  }
  return repository;
}

/// The URL of the clone's remote, made absolute; empty if it has no such remote.
std::string remote_url(git_repository* repository, const std::string& name) {
  // From the configuration itself: git_remote_lookup of libgit2 1.5 loses memory at each call.
  Handle<git_config> config;
  if (git_repository_config_snapshot(Out(config), repository) != 0) {
    throw InputError("the configuration of the repository cannot be read: " + git::last_message());
  }
  const char* url = nullptr;
  const int found = git_config_get_string(&url, config.get(), fmt::format("remote.{}.url", name).c_str());
  if (found != 0 || url == nullptr || *url == '\0') return {};
  if (is_url(url)) return url;
  const char* top = git_repository_workdir(repository);
  return absolute_path(fs::path(top != nullptr ? top : git_repository_path(repository)) / url);
}

bool has_reference(git_repository* repository, const std::string& name) {
  git_oid id;
  return git_reference_is_valid_name(name.c_str()) == 1 &&
         git_reference_name_to_id(&id, repository, name.c_str()) == 0;
}

std::vector<std::string> local_branches(git_repository* repository) {
  constexpr std::string_view heads = "refs/heads/";
  std::vector<std::string> names = git::references_below(repository, heads);
  for (std::string& name : names) name.erase(0, heads.size());
  return names;
}

void check_secret(const char* name, const fs::path& file) {
  if (file.empty()) return;
  if (const auto problem = secret_problem(file); !problem.empty()) {
    throw InputError(fmt::format("{}: {}", name, problem));
  }
}

}  // namespace

std::string mirror_reference(std::string_view branch) {
  constexpr std::string_view heads = "refs/heads/";
  if (branch.starts_with(heads)) branch.remove_prefix(heads.size());
  return fmt::format("refs/tandem/{}", branch);
}

GitRepository::GitRepository(const std::filesystem::path& mirror) : path_(mirror) {
  const int opened = git::open(repository_, mirror);
  if (opened == GIT_EOWNER) throw Error(git::owner_sentence(mirror));
  if (opened != 0) git::fail(fmt::format("open the mirror '{}'", mirror.string()));
}

std::unique_ptr<Repository> open_repository(const std::filesystem::path& mirror) {
  // Here the kinds of version control part: a mirror of another kind shows by what lies in it.
  if (std::filesystem::is_directory(mirror / ".hg")) return std::make_unique<HgRepository>(mirror);
  return std::make_unique<GitRepository>(mirror);
}

std::optional<std::string> GitRepository::tip(const std::string& branch) const {
  const auto id = commit_of_reference(repository_.get(), mirror_reference(branch));
  return id ? std::optional(git::hex(*id)) : std::nullopt;
}

std::optional<Commit> GitRepository::find(const std::string& name) const {
  git_repository* repository = repository_.get();
  std::optional<git_oid> named;
  const std::string tag = name.starts_with("refs/tags/") ? name : "refs/tags/" + name;
  for (const std::string& reference : {mirror_reference(name), tag}) {
    if (!named) named = commit_of_reference(repository, reference);
  }
  const auto by_hash = commit_of_hash(name, named ? Ambiguous::counts_as_none : Ambiguous::is_wrong);
  // Whoever can push a tag must not be able to put another commit in the place of the one that is meant.
  constexpr std::size_t certainly_a_hash = 7;  // git's own shortest abbreviation
  if (named && by_hash && git_oid_equal(&*named, &*by_hash) == 0 && name.size() < certainly_a_hash) {
    throw InputError(
        fmt::format("'{0}' is a branch or tag and also the beginning of commit {1}; give refs/heads/{0} or "
                    "refs/tags/{0}, or more digits",
                    name, git::hex(*by_hash).substr(0, 12)));
  }
  if (by_hash) named = by_hash;
  return named ? std::optional(git::read_commit(repository, *named)) : std::nullopt;
}

std::optional<git_oid> GitRepository::commit_of_hash(const std::string& digits, Ambiguous ambiguous) const {
  constexpr std::size_t shortest = 4;
  if (digits.size() < shortest || digits.size() > GIT_OID_HEXSZ || !is_hexadecimal(digits)) return {};
  git_oid beginning;
  if (git_oid_fromstrn(&beginning, digits.c_str(), digits.size()) != 0) return {};
  Handle<git_object> object;
  const int found =
      git_object_lookup_prefix(Out(object), repository_.get(), &beginning, digits.size(), GIT_OBJECT_ANY);
  if (found == GIT_EAMBIGUOUS) {
    if (ambiguous == Ambiguous::counts_as_none) return {};
    throw InputError(fmt::format("'{}' is the beginning of more than one object; give more digits", digits));
  }
  if (found == GIT_ENOTFOUND) {
    git::check_packs(path_);
    return {};
  }
  if (found != 0) git::fail("read " + digits);
  Handle<git_object> commit;
  const int peeled = git_object_peel(Out(commit), object.get(), GIT_OBJECT_COMMIT);
  if (peeled == GIT_EPEEL || peeled == GIT_EINVALIDSPEC) return {};
  if (peeled != 0) git::fail("read the commit of " + digits);
  return *git_object_id(commit.get());
}

bool GitRepository::is_strict_ancestor(const std::string& ancestor, const std::string& descendant) const {
  const git_oid above = git::parse_id(descendant);
  const git_oid below = git::parse_id(ancestor);
  git_error_clear();
  const int answer = git_graph_descendant_of(repository_.get(), &above, &below);
  if (answer < 0 || (answer == 0 && lacked_an_object())) {
    git::fail(fmt::format("compare commits {} and {}", ancestor, descendant));
  }
  return answer == 1;
}

std::optional<std::string> GitRepository::merge_base(const std::string& one, const std::string& other) const {
  const git_oid first = git::parse_id(one);
  const git_oid second = git::parse_id(other);
  git_oid base;
  git_error_clear();
  const int found = git_merge_base(&base, repository_.get(), &first, &second);
  if (found == GIT_ENOTFOUND && !lacked_an_object()) return std::nullopt;
  if (found != 0) git::fail(fmt::format("find the common ancestor of {} and {}", one, other));
  return git::hex(base);
}

Source resolve_source(const SourceRequest& request) {
  const auto& [kind, repo_dir, remote_repository, branch, key_file, token_file] = request;
  if (repo_dir.empty())
    throw InputError("no repository given: repo_dir is a URL or the path of a repository");
  if (branch.empty()) throw InputError("no branch given");
  check_secret("key_file", key_file);
  check_secret("token_file", token_file);
  if (kind == Source::Kind::hg) return resolve_hg_source(request);
  std::error_code ignored;
  if (is_url(repo_dir) && !fs::exists(repo_dir, ignored)) return source_at(request, repo_dir);

  const fs::path path = absolute_path(repo_dir);
  const Handle<git_repository> repository = open_given(path);
  const std::string lacking = git::what_is_lacking(repository.get());
  const std::string url = remote_url(repository.get(), remote_repository);
  if (!url.empty()) return source_at(request, url, lacking.empty() ? path : fs::path());

  if (!lacking.empty()) throw InputError(fmt::format("the repository '{}' {}", path.string(), lacking));
  if (!has_reference(repository.get(), "refs/heads/" + branch) &&
      !has_reference(repository.get(), "refs/tags/" + branch) && !has_reference(repository.get(), branch)) {
    throw InputError(missing_branch(path.string(), branch, local_branches(repository.get())));
  }
  return source_at(request, path);
}

}  // namespace tandem::builders
