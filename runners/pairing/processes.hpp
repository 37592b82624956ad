#pragma once

#include <array>
#include <stop_token>
#include <variant>

#include "runners/pairing/whole_process.hpp"

namespace tandem::runners {

/// How both sides ended, by slot.
struct EndedTogether {
  std::array<Finished, 2> slots;
  double gap_ns = 0;  ///< from the first start to the second
};

/// Starts both sides at the same moment, each on processors of its own (`cpus.duet`, by slot), slot 0 a
/// moment earlier. The side that ends first is started again, and again, until the other has ended, so that
/// neither runs a part of its time alone; what it does then is thrown away, but must not fail. It writes to
/// other directories then; where the pair keeps some, which it would write to again, it is left ended.
///
/// The first failure ends everything.
[[nodiscard]] std::variant<EndedTogether, RunFailure> run_together(const ProcessGround& ground,
                                                                   const std::stop_token& stop);

}  // namespace tandem::runners
