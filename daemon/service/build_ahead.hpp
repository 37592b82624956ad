#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "builders/builder.hpp"

namespace tandem::daemon {

/// Builds the commits that come next on the processors that do not measure, while others are measured.
///
/// `front` builds what is asked for now, `behind` what is queued; both fill the same cache. A commit that is
/// being built behind is waited for, never built twice, and one that does not build is not tried again. The
/// two builders must be able to work at the same time; both outlive this.
class BuildAhead final : public builders::Builder {
 public:
  BuildAhead(builders::Builder& front, builders::Builder& behind);
  ~BuildAhead() override;

  /// What comes next, in this order; replaces what was queued before.
  void queue(std::vector<builders::Commit> commits);

  /// No build runs behind and none is started as long as this lives; waits for the one that runs, or for the
  /// stop request.
  class Quiet {
   public:
    Quiet(BuildAhead& ahead, std::stop_token stop);
    ~Quiet();
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    BuildAhead& ahead_;
  };

  [[nodiscard]] std::variant<builders::Executable, builders::BuildFailure> build(
      const builders::Commit& commit, std::stop_token stop) override;
  [[nodiscard]] std::variant<builders::Executable, builders::RelinkFailure> relink(
      const builders::Executable& executable, std::uint64_t seed, std::stop_token stop) override;
  void drop_layout(builders::Executable layout) override;

 private:
  void work(const std::stop_token& stop);

  builders::Builder& front_;
  builders::Builder& behind_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<builders::Commit> queue_;
  std::string current_;  ///< the commit that is being built behind; empty: none
  std::size_t quiet_ = 0;
  std::map<std::string, builders::BuildFailure> failed_;  ///< behind, for good
  std::jthread worker_;
};

}  // namespace tandem::daemon
