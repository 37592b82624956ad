#pragma once

#include "runners/conversation.hpp"
#include "runners/cpu_choice.hpp"
#include "runners/pair_plan.hpp"
#include "runners/paired_samples.hpp"
#include "runners/shared_page.hpp"

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
