#pragma once

#include <stop_token>

#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/pair_runner.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/sdk/tandem.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {

/// One launch of a program that hands over slices, in the pairing of the subject's shape.
[[nodiscard]] std::vector<Sampled> launch_slices(const HostSettings& settings, const ProgramPair& pair,
                                                 const Subject& subject, const LaunchPlan& plan,
                                                 const std::stop_token& stop);

/// The memory through which the two programs of a launch hand slices over to each other; new for every
/// launch. Sealed, so that no program can cut it off under the other. Throws Error if there is none to be
/// had.
class SharedPage {
 public:
  SharedPage();
  ~SharedPage();
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  Page* operator->() const { return page_; }

 private:
  OwnedDescriptor file_;
  Page* page_ = nullptr;
};

/// Both programs run each slice at the same instant, slot 0 on the first set of processors and slot 1 on the
/// second; half-way the sets are exchanged and the programs warm up again.
///
/// While slices run, nobody but the two programs is awake: they meet at a barrier in the page. Gives the
/// launch without its resources; `first` says which side had the first set, `gaps_ns` how far apart the two
/// began.
[[nodiscard]] Launch play_duet(Conversation& conversation, SharedPage& page, const LaunchPlan& plan,
                               const CpuChoice& cpus);

}  // namespace tandem::runners
