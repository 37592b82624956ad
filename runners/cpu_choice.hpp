#pragma once

#include <vector>

namespace tandem::runners {

/// Which processors measure and which stay for the supervisor. Both are subsets of what this process may use.
struct CpuChoice {
  std::vector<int> measured;    ///< one for single-threaded programs in `alternate`
  std::vector<int> supervisor;  ///< empty when there is no other: then the two share
  std::vector<int> all;
};

/// Prefers isolated processors, else the last one allowed, which the kernel's own housekeeping uses least.
[[nodiscard]] CpuChoice choose_cpus();

/// Moves the calling thread off the measured processors, and back at the end of the scope.
class SupervisorPlace {
 public:
  explicit SupervisorPlace(const CpuChoice& choice);
  ~SupervisorPlace();
  SupervisorPlace(const SupervisorPlace&) = delete;
  SupervisorPlace& operator=(const SupervisorPlace&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace tandem::runners
