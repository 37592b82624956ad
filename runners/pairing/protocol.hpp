#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/samples.hpp"
#include "runners/process/process.hpp"

namespace tandem::runners {

/// Thrown inside runners when a side fails; HostPairRunner makes it a value.
struct LaunchFailed {
  RunFailure failure;
};

/// A line "metric NAME VALUE UNIT".
struct ReportedValue {
  std::string name;
  double value = 0;
  std::string unit;
};

/// The slice protocol as the runner speaks it (sdk/PROTOCOL.md), with one or two programs at once.
///
/// Any end, silence past the deadline or wrong word of a program throws `LaunchFailed` that names its side.
class Conversation {
 public:
  Conversation(std::uint64_t launch, Children::Clock::time_point deadline, std::stop_token stop);

  /// Starts the program that speaks for `side` and returns its number, 0 or 1 in order of start.
  std::size_t start(Side side, const Command& command, const Children::Options& options);

  /// Offers the shared page as `slot` if there is one. True if the program maps it.
  bool greet(std::size_t child, bool offer_page, std::size_t slot);
  /// Greets a program that may not know the protocol: null if it does, else how it ended by itself.
  const Finished* greet_or_await_end(std::size_t child);
  std::vector<std::string> list(std::size_t child);
  void select(std::size_t child, const std::string& benchmark);
  std::uint64_t run(std::size_t child, std::uint64_t iterations);  ///< elapsed nanoseconds
  /// "turns" or "duet": slices by the shared page, until `finish_slices` has the number of those it ran.
  void start_slices(std::size_t child, std::string_view verb);
  std::uint32_t finish_slices(std::size_t child);
  void quit(std::size_t child, ProgramPair::Status status = ProgramPair::Status::must_be_zero);

  /// The next line of this child. Lines of the other one are kept for later.
  std::string expect(std::size_t child);
  [[noreturn]] void breach(std::size_t child, const std::string& what) const;
  [[noreturn]] void late(std::size_t child, const std::string& doing) const;

  /// What the program said of itself beside the time: the last value of each name.
  [[nodiscard]] const std::vector<ReportedValue>& reported(std::size_t child) const {
    return reported_.at(child);
  }

  [[nodiscard]] Children& children() { return children_; }
  [[nodiscard]] Side side(std::size_t child) const { return sides_.at(child); }

  /// Freezes or thaws every thread of a program.
  void freeze(std::size_t child) const;
  void thaw(std::size_t child) const;

 private:
  std::string reply(std::size_t child, std::string_view verb);
  void take_metric(std::size_t child, std::string_view line);
  [[noreturn]] void ended(std::size_t child) const;
  [[noreturn]] void closed(std::size_t child);

  Children children_;
  std::uint64_t launch_;
  Children::Clock::time_point deadline_;
  std::stop_token stop_;
  std::vector<Side> sides_;
  std::array<std::deque<std::string>, 2> pending_;
  std::array<std::vector<ReportedValue>, 2> reported_;
  std::array<std::string, 2> doing_;  ///< what each was last asked to do, for messages
};

/// Whether a program that came to its end by itself ended as it should.
[[nodiscard]] inline bool ended_well(const Finished& finished, ProgramPair::Status status) {
  return finished.succeeded() ||
         (status == ProgramPair::Status::any && finished.how == Finished::How::exited);
}

/// "crashed" and so on, as a failure of that side with the program's last words.
[[nodiscard]] RunFailure failure_of(Side side, std::uint64_t launch, const Finished& finished,
                                    std::string_view doing);

/// Throws `LaunchFailed` if that side did not end as it should, or left processes running, which were killed.
void expect_good_end(Side side, std::uint64_t launch, const Finished& finished, ProgramPair::Status status,
                     std::string_view doing);

}  // namespace tandem::runners
