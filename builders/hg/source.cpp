#include <fmt/format.h>

#include <algorithm>

#include "builders/hg/mirror.hpp"
#include "builders/hg/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

std::string scheme_of(const std::string& url) {
  const auto colon = url.find("://");
  return colon == std::string::npos ? "" : url.substr(0, colon);
}

void check_url(const std::string& url) {
  const std::string scheme = scheme_of(url);
  if (scheme.empty()) {
    throw InputError(fmt::format("Mercurial does not know the form '{}'; write ssh://user@host/path", url));
  }
  if (scheme != "http" && scheme != "https" && scheme != "ssh" && scheme != "file") {
    throw InputError(
        fmt::format("Mercurial cannot fetch by {}://; write a URL with http, https or ssh, or a path",
                    printable(scheme, 40)));
  }
  // It becomes a line of a file of settings.
  const bool sound =
      std::all_of(url.begin(), url.end(), [](unsigned char c) { return c > ' ' && c != 0x7F; });
  if (!sound) throw InputError("the URL of the repository holds a space or a control character");
}

/// Whether a repository on this file system has the branch, asked before the daemon starts to poll.
void check_branch(const fs::path& path, const std::string& branch) {
  const TemporaryDirectory place("tandem-hg-");
  hg::make_view(path, place.path() / "view", hg::Depth::names);
  hg::Call call;
  call.directory = place.path();
  call.deadline = std::chrono::minutes{2};
  call.arguments = {"-R", "view", "identify", "--rev", branch, "--id", "--", "view"};
  const auto looked_up = hg::run(call);
  if (looked_up.succeeded()) return;
  const std::string why = hg::reason(looked_up);
  if (why.find("unknown revision") == std::string::npos &&
      why.find("ambiguous identifier") == std::string::npos) {
    throw InputError(fmt::format("the repository '{}' cannot be read: {}", path.string(), why));
  }
  throw InputError(
      missing_branch(path.string(), branch, hg::names_of("view", call).value_or(std::vector<std::string>())));
}

/// hg gives its ssh command to a shell.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

}  // namespace

hg::Access hg::access_of(const Source& source) {
  Access access;
  const std::string scheme = scheme_of(source.url);
  std::string url = source.url;
  // A server may name other places to load from; only what the user named is asked.
  access.settings = "[ui]\nclonebundles = false\n";
  if (scheme == "ssh") {
    const std::string key = source.key_file.empty() ? ""
                                                    : fmt::format(" -i {} -o IdentitiesOnly=yes",
                                                                  quoted(source.key_file.string()));
    access.settings += fmt::format("ssh = ssh{} -o BatchMode=yes\n", key);
  }
  if (scheme.starts_with("http")) {
    url = without_user_information(std::move(url));
    const auto login = login_of(source.url, source.token_file);
    if (login && !login->user.empty()) {
      access.settings += fmt::format(
          "[auth]\nsource.schemes = {}\nsource.prefix = {}\nsource.username = {}\nsource.password = {}\n",
          scheme, url.substr(scheme.size() + 3), login->user, login->password);
      access.password = login->password;
    }
  }
  access.settings += fmt::format("[paths]\nsource = {}\n", url);
  return access;
}

Source resolve_hg_source(const SourceRequest& request) {
  if (!hg::is_installed()) throw InputError(hg::not_installed);
  std::error_code ignored;
  if (is_url(request.repo_dir) && !fs::exists(request.repo_dir, ignored)) {
    check_url(request.repo_dir);
    return source_at(request, request.repo_dir);
  }

  std::string path = fs::absolute(request.repo_dir).lexically_normal().string();
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (!fs::is_directory(fs::path(path) / ".hg", ignored)) {
    throw InputError(
        fmt::format("'{}' is not a Mercurial repository; give the directory that holds .hg, or a URL", path));
  }
  const bool usual = request.remote_repository == "origin" || request.remote_repository.empty();
  const std::string remote = hg::path_setting(path, usual ? "default" : request.remote_repository);
  if (is_url(remote)) {
    check_url(remote);
    return source_at(request, remote, path);
  }
  if (!remote.empty()) {
    const fs::path other = (fs::path(path) / remote).lexically_normal();
    if (fs::is_directory(other / ".hg", ignored)) return source_at(request, other, path);
    throw InputError(
        fmt::format("the repository '{}' was cloned from '{}', which is not there any more; give a "
                    "URL instead, or remove `default` from its .hg/hgrc",
                    path, other.string()));
  }
  check_branch(path, request.branch);
  return source_at(request, path);
}

}  // namespace tandem::builders
