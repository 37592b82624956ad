#include "builders/fetch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "builders/git/remote.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using git::check;
using git::Connection;
using git::FetchOrder;
using git::Handle;
using git::Out;
using git::References;
using git::Stop;
using git::stop;
using FetchKind = FetchFailure::Kind;

struct Request {
  fs::path mirror;
  std::string branch;
  fs::path seed;
  FetchOrder order;
};

/// The reference of the server that the request means.
std::string choose(const Request& request, const References& references, const std::string& previous) {
  for (const char* folder : {"refs/heads/", "refs/tags/", ""}) {
    std::string name = folder + request.branch;
    if (references.contains(name)) return name;
  }
  constexpr std::string_view heads = "refs/heads/";
  std::vector<std::string> branches;
  for (const auto& [name, id] : references) {
    if (name.starts_with(heads)) branches.push_back(name.substr(heads.size()));
  }
  std::string sentence = missing_branch(request.order.shown, request.branch, std::move(branches));
  if (!previous.empty()) {
    sentence += fmt::format(
        "; it was there before and has been deleted or renamed: its last commit was {}, which the mirror "
        "still holds",
        previous);
  }
  throw Stop{{FetchKind::no_branch, sentence}};
}

std::string commit_at(const FetchOrder& order, git_repository* repository, const std::string& reference) {
  Handle<git_reference> found;
  const int code = git_reference_lookup(Out(found), repository, reference.c_str());
  if (code == GIT_ENOTFOUND) return {};
  check(order, code);
  Handle<git_object> commit;
  const int peeled = git_reference_peel(Out(commit), found.get(), GIT_OBJECT_COMMIT);
  if (peeled == GIT_EPEEL || peeled == GIT_EINVALIDSPEC) {
    stop(order, FetchKind::no_branch, "it is a tag of something that is not a commit");
  }
  if (peeled != 0) stop(order, FetchKind::corrupt, git::last_message());
  return git::hex(*git_object_id(commit.get()));
}

void set_reference(const FetchOrder& order, git_repository* repository, const std::string& name,
                   const std::string& id) {
  const git_oid target = git::parse_id(id);
  Handle<git_reference> created;
  check(order, git_reference_create(Out(created), repository, name.c_str(), &target, 1, "tandem: fetch"));
}

/// The id that a reference of the mirror has; empty if there is none.
std::string id_at(git_repository* repository, const std::string& name) {
  git_oid local;
  return git_reference_name_to_id(&local, repository, name.c_str()) == 0 ? git::hex(local) : std::string();
}

/// Brings the tags of commits that the mirror holds; one that moved away from them is dropped. A tag that
/// cannot be had is left out: it must not keep the branch from being followed.
void follow_tags(const FetchOrder& order, git_repository* repository, const References& references) {
  Handle<git_odb> odb;
  check(order, git_repository_odb(Out(odb), repository));
  const auto holds = [&](const std::string& id) {
    // Without a refresh for each miss: most tags of a large project lie on other branches.
    const git_oid parsed = git::parse_id(id);
    return git_odb_exists_ext(odb.get(), &parsed, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
  };
  std::vector<std::string> wanted;
  std::vector<std::string> missing;
  std::vector<std::string> moved_away;
  for (const auto& [name, id] : references) {
    if (!name.starts_with("refs/tags/") || name.ends_with("^{}")) continue;
    const std::string ours = id_at(repository, name);
    if (ours == id) continue;
    const auto target = references.find(name + "^{}");
    if (!holds(target == references.end() ? id : target->second)) {
      if (!ours.empty()) moved_away.push_back(name);
      continue;
    }
    wanted.push_back(name);
    if (!holds(id)) missing.push_back(name);
  }
  try {
    // A commit in a pack that cannot be read looks missing too.
    if (!moved_away.empty()) git::check_packs(git_repository_commondir(repository));
    for (const std::string& name : moved_away) {
      static_cast<void>(git_reference_remove(repository, name.c_str()));
    }
  } catch (const Error&) {
    return;
  }
  try {
    if (!missing.empty()) Connection(order, repository).download(missing);
    for (const std::string& name : wanted) set_reference(order, repository, name, references.at(name));
  } catch (const Stop&) {
    return;
  }
}

Tip::Move move_of(const FetchOrder& order, git_repository* repository, const Tip& tip) {
  if (tip.previous.empty()) return Tip::Move::first;
  if (tip.previous == tip.id) return Tip::Move::same;
  const git_oid now = git::parse_id(tip.id);
  const git_oid before = git::parse_id(tip.previous);
  const int descends = git_graph_descendant_of(repository, &now, &before);
  check(order, descends);
  return descends == 1 ? Tip::Move::forward : Tip::Move::rewritten;
}

constexpr const char* part_folder = "refs/part/";

/// At most so many tags of the server, evenly spaced in the order of their numbers, the oldest first.
std::vector<std::string> spaced_tags(const References& references, std::size_t most) {
  std::vector<std::string> tags;
  for (const auto& [name, id] : references) {
    if (name.starts_with("refs/tags/") && !name.ends_with("^{}")) tags.push_back(name);
  }
  std::sort(tags.begin(), tags.end(), [](const std::string& one, const std::string& other) {
    return ::strverscmp(one.c_str(), other.c_str()) < 0;
  });
  if (tags.size() <= most) return tags;
  std::vector<std::string> spaced;
  for (std::size_t i = 1; i <= most; ++i) spaced.push_back(tags[i * tags.size() / (most + 1)]);
  return spaced;
}

/// git sends a pack from its beginning or not at all. A first fetch that was interrupted is therefore brought
/// in parts, tag by tag, and what has come stays; a reference puts it into the negotiation of the next part.
void bring_parts(const FetchOrder& order, git_repository* repository, const References& references,
                 std::size_t most) {
  for (const std::string& tag : spaced_tags(references, most)) {
    const auto target = references.find(tag + "^{}");
    const std::string& commit = target == references.end() ? references.at(tag) : target->second;
    const std::string part = part_folder + commit;
    if (!id_at(repository, part).empty()) continue;
    Connection(order, repository).download({tag});
    // Tags of files and trees exist as well; a negotiation stumbles over them.
    if (git::holds_commit(repository, git::parse_id(commit))) {
      set_reference(order, repository, part, commit);
    }
  }
}

void forget_parts(git_repository* repository) {
  for (const std::string& part : git::references_below(repository, part_folder)) {
    static_cast<void>(git_reference_remove(repository, part.c_str()));
  }
}

Tip bring(const Request& request) {
  const FetchOrder& order = request.order;
  const std::string ours = mirror_reference(request.branch);
  if (git_reference_is_valid_name(ours.c_str()) != 1) {
    stop(order, FetchKind::no_branch, "this is not a possible name of a branch");
  }
  const OwnedDescriptor held = git::lock_mirror(request.mirror);
  const Handle<git_repository> repository =
      git::open_or_create_mirror(request.mirror, {request.seed, local_path_of(order.url)});
  const std::string previous = commit_at(order, repository.get(), ours);

  auto connection = std::make_unique<Connection>(order, repository.get());
  References references = connection->references();
  std::string theirs = choose(request, references, previous);
  // Fetches into this mirror that did not end before the branch was there.
  const git::MirrorCount begun(request.mirror, "tandem-begun");
  if (const std::size_t earlier = previous.empty() ? begun.count() : 0; earlier > 0) {
    constexpr std::size_t parts_each = 16;  // smaller ones each time, until one comes through
    begun.add();
    connection.reset();
    bring_parts(order, repository.get(), references, parts_each * earlier);
    connection = std::make_unique<Connection>(order, repository.get());
    references = connection->references();
    theirs = choose(request, references, previous);
  } else if (previous.empty()) {
    begun.add();
  }
  const std::string& advertised = references.at(theirs);
  if (id_at(repository.get(), ours) != advertised) {
    connection->download({theirs});
    set_reference(order, repository.get(), ours, advertised);
  }
  if (previous.empty()) {
    begun.forget();
    forget_parts(repository.get());
  }
  git::bring_back_pins(request.mirror, commit_at(order, repository.get(), ours));
  follow_tags(order, repository.get(), references);

  Tip tip{commit_at(order, repository.get(), ours), previous, Tip::Move::first};
  tip.move = move_of(order, repository.get(), tip);
  return tip;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

int fetch_in_child(const std::vector<std::string>& arguments) {
  const std::string url = variable(fetch_protocol::url_variable);
  const bool submodules = arguments.size() == 3 && arguments[2] == fetch_protocol::submodules;
  if ((arguments.size() != 2 && !submodules) || url.empty()) {
    std::fputs("internal-fetch is started by tandem itself\n", stderr);
    return 2;
  }
  const FetchOrder order{fmt::format("branch '{}'", arguments[1]), url, without_credentials(url),
                         variable(fetch_protocol::key_file_variable),
                         variable(fetch_protocol::token_file_variable)};
  std::variant<Tip, FetchFailure> answer;
  try {
    git::start();
    if (submodules) {
      git::bring_submodules(arguments[0], arguments[1], order);
      answer = Tip{arguments[1], arguments[1], Tip::Move::same};
    } else {
      answer = bring({arguments[0], arguments[1], variable(fetch_protocol::seed_variable), order});
    }
  } catch (const Stop& stopped) {
    answer = stopped.failure;
  } catch (const std::exception& error) {
    answer = FetchFailure{git::tells_of_a_full_disk(error.what()) ? FetchKind::disk : FetchKind::internal,
                          conceal(error.what(), url)};
  }
  std::fputs(fetch_protocol::write(answer).c_str(), stdout);
  std::fflush(stdout);
  return std::holds_alternative<Tip>(answer) ? 0 : 4;
}

}  // namespace tandem::builders
