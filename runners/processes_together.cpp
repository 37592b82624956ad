#include "runners/processes_together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "runners/conversation.hpp"

namespace tandem::runners {
namespace {

using Kind = Children::Event::Kind;
using Clock = Children::Clock;

class Together {
 public:
  Together(const ProcessGround& ground, const std::stop_token& stop)
      : ground_(ground), stop_(stop), deadline_(Clock::now() + ground.deadline()) {}

  EndedTogether run() {
    std::array<Clock::time_point, 2> started;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      start(slot);
      started.at(slot) = Clock::now();
    }
    while (!done(0) || !done(1)) {
      const Children::Event event = children_.wait(deadline_, stop_);
      if (event.kind == Kind::finished) ended(event.child);
      if (event.kind == Kind::deadline) give_up(Finished::How::timed_out);
      if (event.kind == Kind::stopped) give_up(Finished::How::stopped);
    }
    return {std::move(ended_), std::chrono::duration<double, std::nano>(started[1] - started[0]).count()};
  }

 private:
  [[nodiscard]] bool done(std::size_t slot) const { return next_.at(slot) == ground_.commands.size(); }
  [[nodiscard]] Side side(std::size_t slot) const { return ground_.plan.side_of(slot); }

  /// The slot's next command, or the last one again.
  void start(std::size_t slot) {
    Command command = ground_.command(slot, std::min(next_.at(slot), ground_.commands.size() - 1),
                                      done(slot) ? Scratch::spare : Scratch::own);
    command.cpus = ground_.settings.cpus.duet.at(slot);
    Children::Options options;
    options.output_bytes = ground_.settings.output_bytes;
    current_.at(slot) = children_.start(command, options);
  }

  void ended(std::size_t child) {
    const std::size_t slot = child == current_[0] ? 0 : 1;
    const bool fills = done(slot);
    const Finished finished = children_.take(child);
    if (!ended_well(finished, ground_.pair.status)) {
      fail(failure_of(side(slot), ground_.plan.index, finished,
                      fills ? fmt::format("when it was started again beside the {}", name_of(side(1 - slot)))
                            : std::string()));
    }
    if (finished.left_behind > 0) fail(left_behind_by(side(slot), ground_.plan.index, finished.left_behind));
    if (!fills) {
      add_to(ended_.at(slot), finished);
      ++next_.at(slot);
    }
    if (!done(slot)) {
      start(slot);
    } else if (!done(1 - slot) && ground_.pair.kept_names.empty()) {
      fill(slot);
    }
  }

  /// Starting a process takes us a moment in which we would not see the other end. If that is about to
  /// happen, the other is left to it: a small difference must not grow by the cost of a start.
  void fill(std::size_t slot) {
    const auto grace = std::max<Clock::duration>(shortest_grace, (Clock::now() - begin_) / 100);
    const Children::Event event = children_.wait(std::min(deadline_, Clock::now() + grace), stop_);
    if (event.kind == Kind::finished) ended(event.child);
    if (event.kind == Kind::stopped) give_up(Finished::How::stopped);
    if (!done(1 - slot) && !children_.running(current_.at(slot))) start(slot);
  }

  /// Who is late is named: of both, the control, because then the treatment is not to blame.
  [[noreturn]] void give_up(Finished::How how) {
    const std::size_t control = ground_.plan.slot_of(Side::control);
    const std::size_t slot = done(control) ? 1 - control : control;
    children_.end(current_.at(slot), how);
    fail(failure_of(side(slot), ground_.plan.index, children_.finished(current_.at(slot)), ""));
  }

  [[noreturn]] static void fail(RunFailure failure) { throw Broken{std::move(failure)}; }

  const ProcessGround& ground_;
  const std::stop_token& stop_;
  static constexpr std::chrono::milliseconds shortest_grace{5};
  Clock::time_point begin_ = Clock::now();
  Clock::time_point deadline_;
  Children children_;  ///< at its end, whoever still fills is killed
  std::array<std::size_t, 2> current_{};
  std::array<std::size_t, 2> next_{};
  std::array<Finished, 2> ended_;
};

}  // namespace

std::variant<EndedTogether, RunFailure> run_together(const ProcessGround& ground,
                                                     const std::stop_token& stop) {
  if (ground.settings.cpus.duet[0].empty() || ground.settings.cpus.duet[1].empty()) {
    return RunFailure{Side::control, ground.plan.index, RunFailure::Reason::not_started,
                      "the two sides cannot run together: this host has no two cores for them; let them run "
                      "in turn (pairing \"process\")"};
  }
  try {
    return Together(ground, stop).run();
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

}  // namespace tandem::runners
