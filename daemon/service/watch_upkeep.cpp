// The upkeep of a watch: the fetch of its branch, its mirror, the room in its cache.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <system_error>

#include "builders/cache/budget.hpp"
#include "builders/fetch.hpp"
#include "builders/git/repack.hpp"
#include "daemon/service/storage_rules.hpp"
#include "daemon/service/watch_walk.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon {
bool WatchWalk::fetch(const std::stop_token& stop) {
  if (std::chrono::steady_clock::now() < next_fetch_) return false;
  status_.phase = "fetching";
  context_.show();
  auto fetched =
      builders::fetch(mirror_, source_,
                      {context_.installation.program,
                       std::chrono::duration_cast<std::chrono::nanoseconds>(settings_.fetch_timeout)},
                      stop);
  if (stop.stop_requested()) return false;
  if (const auto* tip = std::get_if<builders::Tip>(&fetched)) {
    tip_ = tip->id;
    fetch_failures_ = status_.fetch_failures = 0;
    status_.next_fetch_at = 0;
    return true;
  }
  // What was fetched before can still be examined.
  try {
    tip_ = builders::open_repository(mirror_)->tip(watch_.branch).value_or(tip_);
  } catch (const Error&) {
    tip_.clear();
  }
  const double chance = static_cast<double>(std::random_device()()) / std::random_device::max();
  const auto wait = back_off(++fetch_failures_, settings_.interval, chance);
  next_fetch_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
  status_.fetch_failures = fetch_failures_;
  status_.next_fetch_at = now_seconds() + static_cast<std::int64_t>(wait.count());
  fail("fetch", std::get<builders::FetchFailure>(fetched).sentence);
  return false;
}

/// Between two rounds, when nothing is measured: every commit that the store names stays.
void WatchWalk::keep_mirror_small(const std::stop_token& stop) {
  std::set<std::string> keep;
  for (const Platform& platform : platforms_) {
    if (const auto start = store_.start(platform.key)) keep.insert(*start);
    for (const std::string& commit : store_.done(platform.key)) keep.insert(commit);
    for (const auto& waiting : store_.waiting_commits(platform.key)) keep.insert(waiting.commit);
    for (const Record& record : store_.records({platform.key, {}, {}, {}})) {
      keep.insert({record.control.id, record.treatment.id, record.culprit.id, record.confirmation.control,
                   record.confirmation.treatment});
      keep.insert(record.co_suspects.begin(), record.co_suspects.end());
      for (const LifeEvent& event : record.life) keep.insert(event.commit);
    }
  }
  for (const Request& request : store_.waiting_requests(watch_.name)) {
    keep.insert({request.commit, request.against});
  }
  const auto failure = builders::keep_packs_few(mirror_, keep, {}, stop);
  if (failure && !stop.stop_requested()) fail("mirror", *failure);
}

void WatchWalk::keep_cache_in_budget(const std::vector<builders::Commit>& queued) {
  if (!context_.budget) return;
  try {
    std::set<std::string> keep = commits_of_living(store_);
    for (const builders::Commit& commit : queued) keep.insert(commit.id);
    const auto pruned = context_.budget->prune(std::move(keep));
    if (pruned.bytes_after > settings_.cache_budget) {
      fail("cache", fmt::format("the cache takes {} bytes, more than its budget of {}: all of it is in use, "
                                "queued or needed by open regressions; give a larger cache_budget",
                                pruned.bytes_after, settings_.cache_budget));
    }
  } catch (const std::system_error& error) {
    fail("cache", fmt::format("the cache could not be pruned: {}", error.what()));
  } catch (const Error& error) {
    fail("cache", fmt::format("the cache could not be pruned: {}", error.what()));
  }
}

void WatchWalk::put_off_commit(Platform& platform, const builders::Commit& commit, const PutOff& why) {
  const Later later = put_off(store_, platform.key, commit.id, why, settings_.interval, now_seconds());
  fail("step", fmt::format("{}: {}", commit.id.substr(0, 12), why.sentence));
  if (later == Later::waits) return;
  constexpr std::size_t most_shown = 20;
  auto& shown = status_.failed_builds;
  shown.insert(shown.begin(), {platform.key.platform, commit.id, why.kind, why.sentence, {}, {}});
  shown.resize(std::min(shown.size(), most_shown));
}

void WatchWalk::rest_after_host_failure() {
  const double chance = static_cast<double>(std::random_device()()) / std::random_device::max();
  const auto wait = back_off(++host_failures_, settings_.interval, chance);
  next_walk_ = std::chrono::steady_clock::now() +
               std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

bool WatchWalk::has_due_commits() const {
  try {
    return std::any_of(platforms_.begin(), platforms_.end(), [&](const Platform& platform) {
      const auto waiting = store_.waiting_commits(platform.key);
      return std::any_of(waiting.begin(), waiting.end(),
                         [](const auto& one) { return one.due <= now_seconds(); });
    });
  } catch (const Error&) {
    return false;
  }
}

void WatchWalk::show_waiting_commits() {
  std::erase_if(status_.waiting_commits, [&](const auto& one) { return one.watch == watch_.name; });
  for (const Platform& platform : platforms_) {
    for (const store::WaitingCommit& one : store_.waiting_commits(platform.key)) {
      status_.waiting_commits.push_back(
          {watch_.name, platform.key.platform, one.commit, one.kind, one.sentence, one.tries, one.due});
    }
  }
  context_.show();
}

}  // namespace tandem::daemon
