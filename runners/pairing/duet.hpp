#pragma once

#include "runners/host/cpu_choice.hpp"
#include "runners/pairing/plan.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/samples.hpp"
#include "runners/pairing/shared_page.hpp"

namespace tandem::runners {

/// Both programs run each slice at the same instant, slot 0 on the first set of processors and slot 1 on the
/// second; half-way the sets are exchanged and the programs warm up again.
///
/// While slices run, nobody but the two programs is awake: they meet at a barrier in the page. Gives the
/// launch without its resources; `first` says which side had the first set, `gaps_ns` how far apart the two
/// began.
[[nodiscard]] Launch play_duet(Conversation& conversation, SharedPage& page, const LaunchPlan& plan,
                               const CpuChoice& cpus);

}  // namespace tandem::runners
