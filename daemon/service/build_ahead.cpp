#include "daemon/service/build_ahead.hpp"

#include <exception>
#include <utility>

namespace tandem::daemon {

using builders::BuildFailure;
using builders::Executable;

namespace {

/// Time, memory and the like may suffice for the front, which has all processors and no neighbours.
bool is_of_the_source(BuildFailure::Kind kind) {
  return kind == BuildFailure::Kind::source || kind == BuildFailure::Kind::not_a_program ||
         kind == BuildFailure::Kind::checkout;
}

}  // namespace

BuildAhead::BuildAhead(builders::Builder& front, builders::Builder& behind)
    : front_(front), behind_(behind), worker_([this](const std::stop_token& stop) { work(stop); }) {}

BuildAhead::~BuildAhead() = default;  // the worker is asked to stop and its build is ended

void BuildAhead::queue(std::vector<builders::Commit> commits) {
  const std::lock_guard lock(mutex_);
  queue_.assign(std::make_move_iterator(commits.begin()), std::make_move_iterator(commits.end()));
  changed_.notify_all();
}

BuildAhead::Quiet::Quiet(BuildAhead& ahead, std::stop_token stop) : ahead_(ahead) {
  std::unique_lock lock(ahead_.mutex_);
  ++ahead_.quiet_;
  ahead_.changed_.wait(lock, std::move(stop), [&] { return ahead_.current_.empty(); });
}

BuildAhead::Quiet::~Quiet() {
  const std::lock_guard lock(ahead_.mutex_);
  --ahead_.quiet_;
  ahead_.changed_.notify_all();
}

std::variant<Executable, BuildFailure> BuildAhead::build(const builders::Commit& commit,
                                                         std::stop_token stop) {
  {
    std::unique_lock lock(mutex_);
    std::erase_if(queue_, [&](const builders::Commit& one) { return one.id == commit.id; });
    changed_.wait(lock, stop, [&] { return current_ != commit.id; });
    if (const auto known = failed_.find(commit.id); known != failed_.end()) return known->second;
  }
  return front_.build(commit, std::move(stop));
}

std::variant<Executable, builders::RelinkFailure> BuildAhead::relink(const Executable& executable,
                                                                     std::uint64_t seed,
                                                                     std::stop_token stop) {
  return front_.relink(executable, seed, std::move(stop));
}

void BuildAhead::drop_layout(Executable layout) {
  front_.drop_layout(std::move(layout));
}

void BuildAhead::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto may_build = [&] { return quiet_ == 0 && !queue_.empty(); };
  while (changed_.wait(lock, stop, may_build) && !stop.stop_requested()) {
    const builders::Commit commit = std::move(queue_.front());
    queue_.pop_front();
    current_ = commit.id;
    lock.unlock();
    std::optional<BuildFailure> failure;
    try {
      auto built = behind_.build(commit, stop);
      if (auto* failed = std::get_if<BuildFailure>(&built)) failure = std::move(*failed);
    } catch (const std::exception&) {
      // The host failed: whoever asks for the commit meets it again, and says so.
    }
    lock.lock();
    current_.clear();
    if (failure && is_of_the_source(failure->kind)) failed_.emplace(commit.id, std::move(*failure));
    changed_.notify_all();
  }
}

}  // namespace tandem::daemon
