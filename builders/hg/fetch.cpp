#include "builders/hg/fetch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "builders/hg/history.hpp"
#include "builders/hg/mirror.hpp"
#include "builders/hg/program.hpp"
#include "builders/hg/source.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

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
        local_(hg::local_path_of(source.url)),
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
    text = conceal(std::move(text), source_.url);
    for (const std::string& secret : access_.secrets) {
      for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret)) {
        text.replace(at, secret.size(), "…");
      }
    }
    return text;
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
      access_ = hg::access_of(source_);
      hg::replace_file(settings_file(), access_.settings);  // made with mode 0600
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
  [[nodiscard]] Finished run(std::vector<std::string> arguments) const {
    hg::Call call;
    call.arguments = std::move(arguments);
    call.directory = work_;
    call.configuration = local_.empty() ? settings_file() : fs::path();
    call.deadline = left();
    Finished finished = hg::run(call, stop_);
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
    const Finished listed = run({"--config", hg::with_our_commands(work_), "tandem-names", place()});
    std::istringstream lines(listed.output);
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) names.push_back(printable(line, 200));
    if (!listed.succeeded()) stop_because(FetchKind::no_branch, "it has no such branch, bookmark or tag");
    throw Stop{{FetchKind::no_branch, missing_branch(source_.shown, source_.branch, std::move(names))}};
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

}  // namespace

std::variant<Tip, FetchFailure> fetch_hg(const fs::path& mirror, const Source& source,
                                         std::chrono::nanoseconds deadline, const std::stop_token& stop) {
  if (!hg::find_program()) return FetchFailure{FetchKind::internal, hg::not_installed};
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

namespace {

using FetchKind = FetchFailure::Kind;

/// The first row whose words occur counts. Those of refusal stand before those of the network, because ssh
/// and hg say both: why, and that the connection ended.
constexpr std::array<std::pair<std::string_view, FetchKind>, 41> words_of_kinds{{
    {"No space left", FetchKind::disk},
    {"quota exceeded", FetchKind::disk},
    {"Read-only file system", FetchKind::disk},
    {"unknown revision", FetchKind::no_branch},
    {"unknown branch", FetchKind::no_branch},
    {"ambiguous identifier", FetchKind::no_branch},
    {"filtered revision", FetchKind::no_branch},
    {"hidden revision", FetchKind::no_branch},
    {"authorization", FetchKind::refused},
    {"Authorization", FetchKind::refused},
    {"HTTP Error 401", FetchKind::refused},
    {"HTTP Error 403", FetchKind::refused},
    {"Permission denied", FetchKind::refused},
    {"Host key verification failed", FetchKind::refused},
    {"certificate", FetchKind::refused},
    {"requires features unknown", FetchKind::refused},
    {"required features are not", FetchKind::refused},
    {"uses the largefiles extension", FetchKind::refused},
    {"largefiles", FetchKind::refused},
    {"remote error", FetchKind::refused},
    {"integrity check failed", FetchKind::corrupt},
    {"censored", FetchKind::corrupt},
    {"unknown parent", FetchKind::corrupt},
    {"unknown compression", FetchKind::corrupt},
    {"partial read of revlog", FetchKind::corrupt},
    {"is corrupted", FetchKind::corrupt},
    {"no node", FetchKind::corrupt},
    {"decompress", FetchKind::corrupt},
    {"not a Mercurial bundle", FetchKind::corrupt},
    {"invalid chunk", FetchKind::corrupt},
    {"abandoned transaction", FetchKind::corrupt},
    {"index 00", FetchKind::corrupt},
    {"not found", FetchKind::unreachable},
    {"HTTP Error", FetchKind::unreachable},
    {"does not appear to be an hg repo", FetchKind::unreachable},
    {"no suitable response from remote hg", FetchKind::unreachable},
    {"stream ended unexpectedly", FetchKind::unreachable},
    {"error: ", FetchKind::unreachable},
    {"Connection", FetchKind::unreachable},
    {"timed out", FetchKind::unreachable},
    {"unexpected response", FetchKind::unreachable},
}};

}  // namespace

FetchKind kind_of_hg_failure(std::string_view words) {
  const auto* row = std::find_if(words_of_kinds.begin(), words_of_kinds.end(), [&](const auto& candidate) {
    return words.find(candidate.first) != std::string_view::npos;
  });
  return row == words_of_kinds.end() ? FetchKind::internal : row->second;
}

}  // namespace tandem::builders
