#include "builders/git/remote.hpp"

#include <fmt/format.h>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace git {
namespace {

namespace fs = std::filesystem;
using FetchKind = FetchFailure::Kind;

/// A relative URL means something only together with the parent; the parent's own URL may hold a password
/// and may change, so its place stands for it.
std::string mirror_name(const std::string& parent, const std::string& url) {
  constexpr std::size_t length = 40;
  const bool relative = url.starts_with("./") || url.starts_with("../");
  return sha256_of(relative ? parent + "\n" + url : url).substr(0, length);
}

bool holds(git_repository* repository, const std::string& commit) {
  return holds_commit(repository, parse_id(commit));
}

class SubmoduleFetcher {
 public:
  explicit SubmoduleFetcher(const fs::path& mirror) : modules_(modules_of(mirror)) {}

  void bring(git_repository* repository, const std::string& commit, const FetchOrder& parent,
             const std::string& parent_mirror, const std::string& prefix, std::size_t depth) {
    for (const Submodule& submodule : submodules_of(repository, parse_id(commit), parent_mirror)) {
      const std::string path = prefix + submodule.path;
      FetchOrder order = order_for(parent, submodule, path);
      if (depth == deepest_submodule) {
        stop(order, FetchKind::refused,
             fmt::format("submodules are nested more than {} levels deep", deepest_submodule));
      }
      if (++count_ > most)
        stop(order, FetchKind::refused, fmt::format("there are more than {} of them", most));
      const fs::path mirror = modules_ / submodule.mirror;
      Handle<git_repository> opened;
      {
        // Not longer than this: a submodule may hold one of the same URL again.
        const OwnedDescriptor held = lock_mirror(mirror);
        opened = open_or_create_mirror(mirror, {local_path_of(order.url)});
        if (!holds(opened.get(), submodule.id)) download(order, opened.get(), submodule.id);
      }
      bring(opened.get(), submodule.id, order, submodule.mirror, path + "/", depth + 1);
    }
  }

 private:
  static constexpr std::size_t most = 1000;

  static FetchOrder order_for(const FetchOrder& parent, const Submodule& submodule, const std::string& path) {
    FetchOrder order{fmt::format("the submodule '{}'", printable(path, 500)),
                     {},
                     parent.shown,
                     {},
                     {},
                     Credentials::Agent::withheld};
    try {
      order.url = submodule_url(parent.url, submodule.url);
    } catch (const InputError& error) {
      throw Stop{{FetchKind::refused, fmt::format("{} is not fetched: {}", order.what, error.what())}};
    }
    if (is_same_host(parent.url, order.url)) {
      order.key_file = parent.key_file;
      order.token_file = parent.token_file;
      order.agent = parent.agent;
      const auto information = user_information(parent.url);
      if (!information.empty() && user_information(order.url).empty() &&
          order.url.find("://") != std::string::npos) {
        order.url.insert(order.url.find("://") + 3, fmt::format("{}@", information));
      }
    }
    order.shown = without_credentials(order.url);
    return order;
  }

  /// Branches first, since one download then serves many commits; what only a tag or nothing names comes
  /// last.
  static void download(const FetchOrder& order, git_repository* repository, const std::string& id) {
    for (const char* folder : {"refs/heads/", "refs/tags/"}) {
      Connection connection(order, repository);
      const References references = connection.references();
      connection.download({fmt::format("{}*", folder)});
      for (const auto& [name, tip] : references) {
        if (name.starts_with(folder) && !name.ends_with("^{}")) remember(order, repository, tip);
      }
      if (holds(repository, id)) return;
    }
    try {
      Connection(order, repository).download({id});
    } catch (const Stop& stopped) {
      if (stopped.failure.kind != FetchKind::refused && stopped.failure.kind != FetchKind::internal) throw;
    }
    if (!holds(repository, id)) {
      stop(order, FetchKind::refused,
           fmt::format("no branch or tag leads to its commit {}, and the server does not give it by its id; "
                       "it was perhaps never pushed",
                       id));
    }
    remember(order, repository, id);
  }

  /// A reference tells the server at the next download what is here. Named by its object, it can neither move
  /// nor be in the way of another.
  static void remember(const FetchOrder& order, git_repository* repository, const std::string& id) {
    const git_oid target = parse_id(id);
    Handle<git_reference> created;
    check(order, git_reference_create(Out(created), repository, ("refs/tandem/" + id).c_str(), &target, 1,
                                      "tandem: fetch"));
  }

  fs::path modules_;
  std::size_t count_ = 0;
};

}  // namespace

fs::path modules_of(const fs::path& mirror) {
  return mirror.string() + ".modules";
}

std::vector<Submodule> submodules_of(git_repository* repository, const git_oid& commit,
                                     const std::string& parent) {
  Handle<git_commit> found;
  Handle<git_tree> tree;
  if (git_commit_lookup(Out(found), repository, &commit) != 0) fail("read commit " + hex(commit));
  if (git_commit_tree(Out(tree), found.get()) != 0) fail("read the tree of commit " + hex(commit));
  const git_tree_entry* file = git_tree_entry_byname(tree.get(), ".gitmodules");
  if (file == nullptr || git_tree_entry_type(file) != GIT_OBJECT_BLOB) return {};
  Handle<git_blob> blob;
  if (git_blob_lookup(Out(blob), repository, git_tree_entry_id(file)) != 0) fail("read .gitmodules");
  const std::string_view text(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                              static_cast<std::size_t>(git_blob_rawsize(blob.get())));
  std::vector<Submodule> submodules;
  for (const GitModule& module : read_gitmodules(text)) {
    // Through trees only: a link on the way is not one.
    Handle<git_tree_entry> entry;
    const int code = git_tree_entry_bypath(Out(entry), tree.get(), module.path.c_str());
    if (code == GIT_ENOTFOUND) continue;
    if (code != 0) fail("read " + module.path);
    if (git_tree_entry_type(entry.get()) != GIT_OBJECT_COMMIT) continue;
    submodules.push_back(
        {module.path, hex(*git_tree_entry_id(entry.get())), module.url, mirror_name(parent, module.url)});
  }
  return submodules;
}

void bring_submodules(const fs::path& mirror, const std::string& commit, const FetchOrder& parent) {
  Handle<git_repository> repository;
  if (open(repository, mirror) != 0) fail(fmt::format("open the mirror '{}'", mirror.string()));
  SubmoduleFetcher(mirror).bring(repository.get(), commit, parent, "", "", 0);
}

}  // namespace git

namespace {

void collect_ids(git_repository* repository, const std::string& commit, const std::filesystem::path& modules,
                 const std::string& parent, const std::string& prefix, std::size_t depth,
                 std::map<std::string, std::string>& ids) {
  if (depth == git::deepest_submodule) return;
  for (const auto& submodule : git::submodules_of(repository, git::parse_id(commit), parent)) {
    ids.emplace(prefix + submodule.path, submodule.id);
    git::Handle<git_repository> inner;
    if (!std::filesystem::exists(modules / submodule.mirror)) continue;
    if (git::open(inner, modules / submodule.mirror) != 0) {
      git::fail(fmt::format("open the mirror of the submodule '{}'", printable(submodule.path, 500)));
    }
    if (!git::holds(inner.get(), submodule.id)) continue;
    collect_ids(inner.get(), submodule.id, modules, submodule.mirror, prefix + submodule.path + "/",
                depth + 1, ids);
  }
}

}  // namespace

std::map<std::string, std::string> GitRepository::submodule_ids(const std::string& commit) const {
  std::map<std::string, std::string> ids;
  collect_ids(repository_.get(), commit, git::modules_of(path_), "", "", 0, ids);
  return ids;
}

}  // namespace tandem::builders
