#include "builders/hg/source.hpp"

#include <fmt/format.h>
#include <git2.h>

#include <algorithm>

#include "builders/git/credentials.hpp"
#include "builders/git/handles.hpp"
#include "builders/source.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using git::Handle;
using git::Out;

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
  std::vector<std::string> names;
  const auto collect = [](const char* name, void* list) {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  git_reference_foreach_name(repository, collect, &names);
  constexpr std::string_view heads = "refs/heads/";
  std::erase_if(names, [&](const std::string& name) { return !name.starts_with(heads); });
  for (std::string& name : names) name.erase(0, heads.size());
  return names;
}

fs::path absolute_or_none(const fs::path& path) {
  return path.empty() ? path : fs::absolute(path);
}

void check_secret(const char* name, const fs::path& file) {
  if (file.empty()) return;
  if (const auto problem = git::secret_problem(file); !problem.empty()) {
    throw InputError(fmt::format("{}: {}", name, problem));
  }
}

}  // namespace

Source resolve_source(const SourceRequest& request) {
  const auto& [kind, repo_dir, remote_repository, branch, key_file, token_file] = request;
  if (repo_dir.empty())
    throw InputError("no repository given: repo_dir is a URL or the path of a repository");
  if (branch.empty()) throw InputError("no branch given");
  check_secret("key_file", key_file);
  check_secret("token_file", token_file);
  if (kind == Source::Kind::hg) return resolve_hg_source(request);
  const auto found_at = [&](const std::string& url, const fs::path& seed) {
    return Source{url,
                  without_credentials(url),
                  branch,
                  seed,
                  kind,
                  absolute_or_none(key_file),
                  absolute_or_none(token_file)};
  };
  std::error_code ignored;
  if (is_url(repo_dir) && !fs::exists(repo_dir, ignored)) return found_at(repo_dir, {});

  const fs::path path = absolute_path(repo_dir);
  const Handle<git_repository> repository = open_given(path);
  const std::string lacking = git::what_is_lacking(repository.get());
  const std::string url = remote_url(repository.get(), remote_repository);
  if (!url.empty()) return found_at(url, lacking.empty() ? path : fs::path());

  if (!lacking.empty()) throw InputError(fmt::format("the repository '{}' {}", path.string(), lacking));
  if (!has_reference(repository.get(), "refs/heads/" + branch) &&
      !has_reference(repository.get(), "refs/tags/" + branch) && !has_reference(repository.get(), branch)) {
    throw InputError(missing_branch(path.string(), branch, local_branches(repository.get())));
  }
  return found_at(path, {});
}

}  // namespace tandem::builders
