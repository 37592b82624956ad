#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "builders/hg/mirror.hpp"
#include "builders/hg/repository.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;
using FetchKind = FetchFailure::Kind;
using runners::Finished;
using Clock = std::chrono::steady_clock;

/// Ends a fetch from any depth.
struct Stop {
  FetchFailure failure;
};

/// What a server knows under a name.
struct Found {
  std::string id;
  std::vector<std::string> bookmarks;  ///< those at the same commit
};

/// One fetch with its deadline. What it needs besides the mirror lies in a private directory beside it.
class Fetch {
 public:
  Fetch(const fs::path& mirror, const Source& source, std::chrono::nanoseconds deadline,
        const std::stop_token& stop)
      : mirror_(fs::absolute(mirror)),
        work_(mirror_.string() + ".work"),
        source_(source),
        local_(local_path_of(source.url)),
        deadline_(deadline),
        end_(Clock::now() + deadline),
        stop_(stop) {}

  Tip bring() {
    const auto held = hg::lock_mirror(mirror_, end_, stop_);
    if (!held) {
      stop_because(stop_.stop_requested() ? FetchKind::stopped : FetchKind::timed_out,
                   "another process held the lock of the mirror");
    }
    const Cleared cleared(work_);
    prepare();
    const Found found = look_up();
    hg::Tips tips = hg::read_tips(mirror_);
    const std::string previous = tips[source_.branch];
    if (previous != found.id) {
      pull(found.id);
      hg::update_listing(mirror_, left(), stop_);
    }
    Tip tip{found.id, previous, Tip::Move::same};
    if (previous == found.id) return tip;
    const hg::History history = hg::read_history(mirror_);
    const auto now = history.find(found.id);
    if (!now) stop_because(FetchKind::corrupt, "the commit of the branch did not come with it");
    check_name(found, *now);
    const auto before = previous.empty() ? std::nullopt : history.find(previous);
    if (previous.empty()) {
      tip.move = Tip::Move::first;
    } else {
      tip.move = before && history.reachable(*now)[*before] ? Tip::Move::forward : Tip::Move::rewritten;
    }
    tips[source_.branch] = found.id;
    hg::write_tips(mirror_, tips);
    return tip;
  }

  /// For a failure that speaks of damage: whether the mirror was the cause and has been put aside.
  bool mend() {
    const auto held = hg::lock_mirror(mirror_, end_, stop_);
    return held && hg::put_aside_if_damaged(mirror_, left(), stop_);
  }

  /// A step that was killed at the deadline or on request speaks of its own failure only.
  void check_time() const {
    if (stop_.stop_requested()) stop_because(FetchKind::stopped, "stopped on request");
    static_cast<void>(left());
  }

  [[nodiscard]] std::string without_secrets(std::string text) const {
    return conceal(std::move(text), source_.url, access_.password);
  }

 private:
  /// Removes the private directory at the beginning, where a killed fetch left it, and at the end.
  struct Cleared {
    explicit Cleared(const fs::path& directory) : path(directory) { fs::remove_all(path); }
    ~Cleared() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    Cleared(const Cleared&) = delete;
    Cleared& operator=(const Cleared&) = delete;
    fs::path path;
  };

  [[noreturn]] void stop_because(FetchKind kind, const std::string& why) const {
    throw Stop{{kind, without_secrets(fmt::format("branch '{}' could not be fetched from {}: {}",
                                                  source_.branch, source_.shown, why))}};
  }

  [[nodiscard]] std::chrono::nanoseconds left() const {
    const auto rest = end_ - Clock::now();
    if (rest <= rest.zero()) time_is_up();
    return rest;
  }

  [[noreturn]] void time_is_up() const {
    stop_because(FetchKind::timed_out,
                 fmt::format("no end after {:.3g} s", std::chrono::duration<double>(deadline_).count()));
  }

  void prepare() {
    if (::mkdir(work_.c_str(), 0700) != 0) throw Error(fmt::format("cannot make '{}'", work_.string()));
    if (local_.empty()) {
      try {
        access_ = hg::access_of(source_);
      } catch (const InputError& error) {
        stop_because(FetchKind::refused, error.what());
      }
      write_by_rename(settings_file(), access_.settings);  // nobody else can look into the directory
    } else {
      if (!fs::is_directory(local_ / ".hg"))
        stop_because(FetchKind::unreachable, "there is no repository any more");
      hg::make_view(local_, work_ / "view", hg::Depth::names);
    }
    hg::prepare_mirror(mirror_, left());
  }

  [[nodiscard]] fs::path settings_file() const { return work_ / "hgrc"; }
  [[nodiscard]] std::string place() const { return local_.empty() ? "source" : "view"; }

  /// hg in the private directory, with the settings for the source.
  [[nodiscard]] hg::Call call_with(std::vector<std::string> arguments) const {
    hg::Call call;
    call.arguments = std::move(arguments);
    call.directory = work_;
    call.configuration = local_.empty() ? settings_file() : fs::path();
    call.deadline = left();
    return call;
  }

  [[nodiscard]] Finished run(std::vector<std::string> arguments) const {
    Finished finished = hg::run(call_with(std::move(arguments)), stop_);
    if (finished.how == Finished::How::timed_out) time_is_up();
    if (finished.how == Finished::How::stopped) stop_because(FetchKind::stopped, "stopped on request");
    return finished;
  }

  [[noreturn]] void fail(const Finished& finished) const {
    const std::string why = hg::reason(finished);
    const FetchKind kind = kind_of_hg_failure(finished.errors + finished.output);
    if (kind == FetchKind::refused && why.find("uthorization") != std::string::npos) {
      stop_because(kind,
                   fmt::format("the server wants other credentials: {}; write `user:password` or a token "
                               "into a file of mode 600 and name it as token_file",
                               why));
    }
    stop_because(kind, why);
  }

  [[noreturn]] void no_branch() const {
    auto names = hg::names_of(place(), call_with({}), stop_);
    check_time();
    if (!names) stop_because(FetchKind::no_branch, "it has no such branch, bookmark or tag");
    throw Stop{{FetchKind::no_branch, missing_branch(source_.shown, source_.branch, std::move(*names))}};
  }

  [[nodiscard]] Found look_up() const {
    const Finished finished = run({"-R", mirror_, "identify", "--rev", source_.branch, "--template",
                                   "{node}\\n{join(bookmarks, '\\n')}\\n", "--", place()});
    if (!finished.succeeded()) {
      if (kind_of_hg_failure(finished.errors) == FetchKind::no_branch) no_branch();
      fail(finished);
    }
    std::istringstream lines(finished.output);
    Found found;
    std::getline(lines, found.id);
    for (std::string line; std::getline(lines, line);) found.bookmarks.push_back(line);
    if (!hg::is_node(found.id)) stop_because(FetchKind::corrupt, "the server gave no commit for it");
    const bool nothing = found.id.find_first_not_of('0') == std::string::npos;
    if (nothing || source_.branch == ".") no_branch();
    return found;
  }

  void pull(const std::string& id) {
    if (!local_.empty()) {
      fs::remove_all(work_ / "view");
      hg::make_view(local_, work_ / "view", hg::Depth::everything);
    } else if (!source_.seed.empty() && hg::read_tips(mirror_).empty()) {
      // A seed that cannot serve costs a full download, nothing else.
      try {
        hg::make_view(source_.seed, work_ / "seed", hg::Depth::everything);
        static_cast<void>(run({"-R", mirror_, "pull", "--", "seed"}));
      } catch (const InputError&) {
      }
    }
    const Finished finished = run({"-R", mirror_, "pull", "--rev", id, "--", place()});
    if (!finished.succeeded()) fail(finished);
  }

  /// hg also looks up numbers and beginnings of ids. Neither names a branch: the one is another commit in
  /// each clone, the other never moves.
  void check_name(const Found& found, std::size_t position) const {
    const std::string& name = source_.branch;
    const bool number = name.find_first_not_of("-0123456789") == std::string::npos;
    if (!number && !found.id.starts_with(name)) return;
    if (std::find(found.bookmarks.begin(), found.bookmarks.end(), name) != found.bookmarks.end()) return;
    hg::Call call;
    call.arguments = {"--hidden",   "-R",      mirror_, "log", "--rev", std::to_string(position),
                      "--template", "{branch}"};
    call.deadline = left();
    if (hg::run_or_throw(call, "read the name of the branch") != name) no_branch();
  }

  fs::path mirror_;
  fs::path work_;
  const Source& source_;
  fs::path local_;  ///< the source, if it is on this file system
  std::chrono::nanoseconds deadline_;
  Clock::time_point end_;
  const std::stop_token& stop_;
  hg::Access access_;
};

std::variant<Tip, FetchFailure> attempt(Fetch& fetch) try {
  try {
    return fetch.bring();
  } catch (const std::exception& error) {
    fetch.check_time();
    return FetchFailure{kind_of_hg_failure(error.what()), fetch.without_secrets(error.what())};
  }
} catch (const Stop& stopped) {
  return stopped.failure;
}

/// The first row in which a text occurs counts. Those of refusal stand before those of the network, because
/// ssh and hg say both: why, and that the connection ended.
const std::pair<FetchKind, std::vector<std::string_view>> words_of_kinds[] = {
    {FetchKind::disk, {"No space left", "quota exceeded", "Read-only file system"}},
    {FetchKind::no_branch,
     {"unknown revision", "unknown branch", "ambiguous identifier", "filtered revision", "hidden revision"}},
    {FetchKind::refused,
     {"authorization", "Authorization", "HTTP Error 401", "HTTP Error 403", "Permission denied",
      "Host key verification failed", "certificate", "requires features unknown", "required features are not",
      "uses the largefiles extension", "largefiles", "remote error"}},
    {FetchKind::corrupt,
     {"integrity check failed", "censored", "unknown parent", "unknown compression", "partial read of revlog",
      "is corrupted", "no node", "decompress", "not a Mercurial bundle", "invalid chunk",
      "abandoned transaction", "index 00"}},
    {FetchKind::unreachable,
     {"not found", "HTTP Error", "does not appear to be an hg repo", "no suitable response from remote hg",
      "stream ended unexpectedly", "error: ", "Connection", "timed out", "unexpected response"}},
};

}  // namespace

std::variant<Tip, FetchFailure> fetch_hg(const fs::path& mirror, const Source& source,
                                         std::chrono::nanoseconds deadline, const std::stop_token& stop) {
  if (!hg::is_installed()) return FetchFailure{FetchKind::internal, hg::not_installed};
  Fetch fetch(mirror, source, deadline, stop);
  auto answer = attempt(fetch);
  const auto* failure = std::get_if<FetchFailure>(&answer);
  const bool may_be_ours =
      failure != nullptr && (failure->kind == FetchKind::corrupt || failure->kind == FetchKind::internal);
  try {
    if (may_be_ours && fetch.mend()) answer = attempt(fetch);
  } catch (const Stop& stopped) {
    return stopped.failure;
  }
  return answer;
}

FetchKind kind_of_hg_failure(std::string_view words) {
  for (const auto& [kind, texts] : words_of_kinds) {
    const auto occurs = [&](std::string_view text) { return words.find(text) != std::string_view::npos; };
    if (std::any_of(texts.begin(), texts.end(), occurs)) return kind;
  }
  return FetchKind::internal;
}

}  // namespace tandem::builders
