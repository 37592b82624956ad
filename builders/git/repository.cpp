#include "builders/repository.hpp"

#include <fmt/format.h>
#include <git2.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "builders/git/handles.hpp"
#include "builders/hg/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace git {

void Free::operator()(git_blob* blob) const {
  git_blob_free(blob);
}
void Free::operator()(git_commit* commit) const {
  git_commit_free(commit);
}
void Free::operator()(git_config* config) const {
  git_config_free(config);
}
void Free::operator()(git_index* index) const {
  git_index_free(index);
}
void Free::operator()(git_object* object) const {
  git_object_free(object);
}
void Free::operator()(git_odb* odb) const {
  git_odb_free(odb);
}
void Free::operator()(git_odb_object* object) const {
  git_odb_object_free(object);
}
void Free::operator()(git_packbuilder* builder) const {
  git_packbuilder_free(builder);
}
void Free::operator()(git_reference* reference) const {
  git_reference_free(reference);
}
void Free::operator()(git_remote* remote) const {
  git_remote_free(remote);
}
void Free::operator()(git_repository* repository) const {
  git_repository_free(repository);
}
void Free::operator()(git_revwalk* walk) const {
  git_revwalk_free(walk);
}
void Free::operator()(git_tree* tree) const {
  git_tree_free(tree);
}
void Free::operator()(git_tree_entry* entry) const {
  git_tree_entry_free(entry);
}

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

}  // namespace git

namespace {

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

namespace {

namespace fs = std::filesystem;
using git::Handle;
using git::Out;

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text << std::flush;
  if (!stream) throw Error(fmt::format("cannot write '{}'", file.string()));
}

/// The mirror's tags, in the form that needs one file.
std::string packed_tags(git_repository* mirror) {
  const auto collect = [](const char* name, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  std::vector<std::string> names;
  if (git_reference_foreach_name(mirror, collect, &names) != 0) git::fail("list the tags of the mirror");
  std::sort(names.begin(), names.end());
  std::string text = "# pack-refs with: sorted\n";
  for (const std::string& name : names) {
    git_oid id;
    if (!name.starts_with("refs/tags/") || git_reference_name_to_id(&id, mirror, name.c_str()) != 0) continue;
    text += fmt::format("{} {}\n", git::hex(id), name);
  }
  return text;
}

/// Fills the index from the commit, with the times and sizes of the files as they are: git then believes them
/// unchanged without reading them.
void write_index(git_repository* repository, const git_oid& commit, const fs::path& top) {
  Handle<git_commit> found;
  Handle<git_tree> tree;
  Handle<git_index> index;
  if (git_commit_lookup(Out(found), repository, &commit) != 0) git::fail("read commit " + git::hex(commit));
  if (git_commit_tree(Out(tree), found.get()) != 0) git::fail("read the tree of " + git::hex(commit));
  if (git_repository_index(Out(index), repository) != 0) git::fail("make an index");
  if (git_index_read_tree(index.get(), tree.get()) != 0) git::fail("read the tree of " + git::hex(commit));
  const std::size_t count = git_index_entrycount(index.get());
  std::vector<git_index_entry> entries;
  entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    git_index_entry entry = *git_index_get_byindex(index.get(), i);
    struct stat status {};
    if (entry.mode != GIT_FILEMODE_COMMIT && ::lstat((top / entry.path).c_str(), &status) == 0) {
      entry.mtime = {static_cast<std::int32_t>(status.st_mtim.tv_sec),
                     static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
      entry.ctime = {static_cast<std::int32_t>(status.st_ctim.tv_sec),
                     static_cast<std::uint32_t>(status.st_ctim.tv_nsec)};
      entry.dev = static_cast<std::uint32_t>(status.st_dev);
      entry.ino = static_cast<std::uint32_t>(status.st_ino);
      entry.uid = status.st_uid;
      entry.gid = status.st_gid;
      entry.file_size = static_cast<std::uint32_t>(status.st_size);
    }
    entries.push_back(entry);
  }
  for (const git_index_entry& entry : entries) {
    // The path may belong to the entry that is replaced.
    const std::string path = entry.path;
    git_index_entry filled = entry;
    filled.path = path.c_str();
    if (git_index_add(index.get(), &filled) != 0) git::fail("write the index entry of " + path);
  }
  if (git_index_write(index.get()) != 0) git::fail("write the index");
}

}  // namespace

void provide_git(const fs::path& mirror, const Commit& commit, const fs::path& tree) {
  const git_oid id = git::parse_id(commit.id);
  Handle<git_repository> source;
  if (git::open(source, mirror) != 0) git::fail(fmt::format("open the mirror '{}'", mirror.string()));
  Handle<git_repository> made;
  if (git_repository_init(Out(made), tree.c_str(), 0) != 0) {
    git::fail(fmt::format("make a repository in '{}'", tree.string()));
  }
  made.reset();
  const fs::path inside = tree / ".git";
  fs::create_directories(inside / "objects" / "info");
  write_text(inside / "objects" / "info" / "alternates", fs::absolute(mirror / "objects").string() + "\n");
  write_text(inside / "packed-refs", packed_tags(source.get()));
  write_text(inside / "HEAD", commit.id + "\n");
  // Another mount or user namespace changes inode and owner, but not what a build should see as a change.
  write_text(inside / "config",
             "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
             "\ttrustctime = false\n\tcheckStat = minimal\n[gc]\n\tauto = 0\n");
  if (git::open(made, tree) != 0) git::fail(fmt::format("open the repository in '{}'", tree.string()));
  write_index(made.get(), id, tree);
}

}  // namespace tandem::builders
