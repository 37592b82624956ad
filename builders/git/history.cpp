#include <fmt/format.h>
#include <git2/sys/odb_backend.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "builders/git/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace {

using git::Handle;
using git::Out;

/// Reads commits from the stores of a mirror without the hash that libgit2 takes over every object: the
/// compressed data has a checksum, and what is built is compared with its ids when it is checked out.
class CommitReader {
 public:
  explicit CommitReader(git_repository* repository) {
    if (git_repository_odb(Out(odb_), repository) != 0) git::fail("open the objects of the mirror");
    const std::size_t count = git_odb_num_backends(odb_.get());
    for (std::size_t i = 0; i < count; ++i) {
      git_odb_backend* store = nullptr;
      if (git_odb_get_backend(&store, odb_.get(), i) == 0 && store->read != nullptr) stores_.push_back(store);
    }
  }

  /// The bytes of a commit; they live until the next call.
  std::string_view read(const git_oid& id) {
    git_object_t type = GIT_OBJECT_INVALID;
    release();
    for (git_odb_backend* store : stores_) {
      std::size_t size = 0;
      if (store->read(&data_, &size, &type, store, &id) != 0) continue;
      from_ = store;
      if (type != GIT_OBJECT_COMMIT) throw Error(fmt::format("{} is not a commit", git::hex(id)));
      return {static_cast<const char*>(data_), size};
    }
    // The long way looks for new packs and has the words for what is wrong.
    if (git_odb_read(Out(object_), odb_.get(), &id) != 0) git::fail("read commit " + git::hex(id));
    if (git_odb_object_type(object_.get()) != GIT_OBJECT_COMMIT) {
      throw Error(fmt::format("{} is not a commit", git::hex(id)));
    }
    return {static_cast<const char*>(git_odb_object_data(object_.get())), git_odb_object_size(object_.get())};
  }

  ~CommitReader() { release(); }
  CommitReader(const CommitReader&) = delete;
  CommitReader& operator=(const CommitReader&) = delete;

 private:
  void release() {
    if (data_ != nullptr && from_ != nullptr) git_odb_backend_data_free(from_, data_);
    data_ = nullptr;
  }

  Handle<git_odb> odb_;
  std::vector<git_odb_backend*> stores_;
  git_odb_backend* from_ = nullptr;
  void* data_ = nullptr;
  Handle<git_odb_object> object_;
};

/// The text of a commit, taken apart without copies; as long as the reader reads no other.
class RawCommit {
 public:
  RawCommit(CommitReader& reader, const git_oid& id) : id_(id), rest_(reader.read(id)) {
    tree_ = id_after("tree ");
    if (tree_.empty()) damaged();
    for (std::string_view parent; !(parent = id_after("parent ")).empty();) parents_.push_back(parent);
  }

  [[nodiscard]] std::string_view first_parent() const {
    return parents_.empty() ? std::string_view() : parents_.front();
  }
  [[nodiscard]] const std::vector<std::string_view>& parents() const { return parents_; }

  [[nodiscard]] Commit record() {
    Commit commit;
    commit.id = git::hex(id_);
    commit.first_parent = first_parent();
    commit.tree = tree_;
    std::string_view name;
    std::string_view email;
    while (!rest_.empty() && rest_.front() != '\n') {
      const std::string_view header = line();
      if (header.starts_with("author ")) {
        commit.author_time = signature(header.substr(7), name, email);
        commit.author_name = shown(name);
        commit.author_email = shown(email);
      } else if (header.starts_with("committer ")) {
        commit.committer_time = signature(header.substr(10), name, email);
      }
    }
    commit.subject = subject();
    return commit;
  }

 private:
  static constexpr std::size_t longest_text = 500;

  static std::string shown(std::string_view text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return plain && text.size() <= longest_text ? std::string(text) : printable(text, longest_text);
  }

  [[noreturn]] void damaged() const {
    throw Error(fmt::format("cannot read commit {}: it is not a commit as git writes them", git::hex(id_)));
  }

  std::string_view line() {
    const auto end = rest_.find('\n');
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return taken;
  }

  std::string_view id_after(std::string_view word) {
    if (!rest_.starts_with(word)) return {};
    const std::string_view id = line().substr(word.size());
    bool sound = id.size() == GIT_OID_HEXSZ;
    for (const char c : id) sound &= (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (!sound) damaged();
    return id;
  }

  static std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
  }

  /// "Ada <ada@example.org> 1700000000 +0900": the zone says only how it is shown. Nobody checks what a
  /// committer writes here, so whatever is missing stays empty.
  static std::int64_t signature(std::string_view text, std::string_view& name, std::string_view& email) {
    const auto open = text.find('<');
    const auto close = text.rfind('>');
    name = trimmed(text.substr(0, open));
    email = {};
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return 0;
    email = trimmed(text.substr(open + 1, close - open - 1));
    const std::string_view rest = trimmed(text.substr(close + 1));
    std::int64_t seconds = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), seconds);
    return parsed.ec == std::errc() ? seconds : 0;
  }

  /// The lines of the first paragraph, joined.
  std::string subject() {
    std::string text;
    while (!rest_.empty() && text.size() <= longest_text) {
      const std::string_view next = trimmed(line());
      if (next.empty() && !text.empty()) break;
      if (!text.empty()) text += ' ';
      text += next;
    }
    return shown(text);
  }

  git_oid id_;
  std::string_view rest_;
  std::string_view tree_;
  std::vector<std::string_view> parents_;
};

git_oid parsed(std::string_view id) {
  git_oid oid;
  git_oid_fromstrn(&oid, id.data(), id.size());
  return oid;
}

}  // namespace

Commit git::read_commit(git_repository* repository, const git_oid& id) {
  CommitReader reader(repository);
  return RawCommit(reader, id).record();
}

std::optional<std::vector<Commit>> GitRepository::first_parents(const std::string& tip,
                                                                const std::string& after) const {
  CommitReader reader(repository_.get());
  std::vector<Commit> commits;
  for (std::string id = tip; id != after; id = commits.back().first_parent) {
    // The root has no parent: an `after` that is not empty was never met.
    if (id.empty()) return std::nullopt;
    commits.push_back(RawCommit(reader, git::parse_id(id)).record());
  }
  std::reverse(commits.begin(), commits.end());
  return commits;
}

std::vector<Commit> GitRepository::all_commits(const std::string& tip, const std::string& after) const {
  Handle<git_revwalk> walk;
  const git_oid from = git::parse_id(tip);
  if (git_revwalk_new(Out(walk), repository_.get()) != 0) git::fail("walk through the mirror");
  if (git_revwalk_push(walk.get(), &from) != 0) git::fail("walk from " + tip);
  if (!after.empty()) {
    const git_oid hidden = git::parse_id(after);
    if (git_revwalk_hide(walk.get(), &hidden) != 0) git::fail("walk from " + after);
  }
  std::unordered_map<std::string, std::size_t> places;
  git_oid id;
  int code = 0;
  while ((code = git_revwalk_next(&id, walk.get())) == 0) places.emplace(git::hex(id), places.size());
  if (code != GIT_ITEROVER) git::fail("walk from " + tip);

  CommitReader reader(repository_.get());
  std::vector<ListedCommit> listed(places.size());
  for (const auto& [name, place] : places) {
    RawCommit raw(reader, parsed(name));
    for (const std::string_view parent : raw.parents()) {
      const auto found = places.find(std::string(parent));
      if (found != places.end()) listed[place].parents.push_back(found->second);
    }
    listed[place].commit = raw.record();
  }
  return parents_first(std::move(listed));
}

std::optional<std::size_t> GitRepository::first_parent_distance(const std::string& ancestor,
                                                                const std::string& descendant) const {
  CommitReader reader(repository_.get());
  const git_oid wanted = git::parse_id(ancestor);
  git_oid id = git::parse_id(descendant);
  for (std::size_t steps = 0;; ++steps) {
    if (git_oid_equal(&id, &wanted) != 0) return steps;
    const RawCommit commit(reader, id);
    if (commit.first_parent().empty()) return std::nullopt;
    id = parsed(commit.first_parent());
  }
}

std::map<std::string, std::string> GitRepository::tags() const {
  struct Found {
    git_repository* repository;
    std::map<std::string, std::string> commits;
  } found{repository_.get(), {}};
  // Tags of trees and blobs name no commit and do not count.
  const auto take = [](const char* name, git_oid* id, void* payload) {
    auto& all = *static_cast<Found*>(payload);
    git::Handle<git_object> object;
    git::Handle<git_object> commit;
    if (git_object_lookup(git::Out(object), all.repository, id, GIT_OBJECT_ANY) != 0) return -1;
    const int peeled = git_object_peel(git::Out(commit), object.get(), GIT_OBJECT_COMMIT);
    if (peeled == GIT_EPEEL || peeled == GIT_EINVALIDSPEC) return 0;
    if (peeled != 0) return -1;
    constexpr std::string_view folder = "refs/tags/";
    const std::string_view whole = name;
    all.commits[printable(whole.starts_with(folder) ? whole.substr(folder.size()) : whole, 500)] =
        git::hex(*git_object_id(commit.get()));
    return 0;
  };
  if (git_tag_foreach(repository_.get(), take, &found) != 0) git::fail("list the tags of the mirror");
  return std::move(found.commits);
}

}  // namespace tandem::builders
