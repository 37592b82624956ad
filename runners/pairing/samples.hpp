#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::runners {

enum class Side { control, treatment };

[[nodiscard]] constexpr const char* name_of(Side side) {
  return side == Side::control ? "control" : "treatment";
}
[[nodiscard]] constexpr Side other(Side side) {
  return side == Side::control ? Side::treatment : Side::control;
}

/// What the kernel says a child used, from wait4.
struct ResourceUsage {
  std::chrono::nanoseconds wall{};
  std::chrono::nanoseconds user{};
  std::chrono::nanoseconds system{};
  std::uint64_t peak_resident_bytes = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;

  /// Exact, while how it parts into user and system is an estimate of the kernel.
  [[nodiscard]] std::chrono::nanoseconds cpu() const { return user + system; }
};

/// One launch: both programs started afresh once. The statistical unit.
///
/// `control[i]` and `treatment[i]` are the values of pair i and `first[i]` says which side ran first in it;
/// in a duet, which side had the first of the two core sets. When `first` is empty the values are not paired
/// one to one (whole processes), and the two lengths may differ.
struct Launch {
  std::uint64_t index = 0;
  Side first_slot = Side::control;  ///< the coin: which side had slot 0 with all its attributes
  std::vector<double> control;
  std::vector<double> treatment;
  std::vector<Side> first;
  /// What the pairing itself took, in ns, per pair: from the end of one slice to the begin of the next when
  /// they alternate, between the two begins in a duet. Empty where it is not known.
  std::vector<double> gaps_ns;
  ResourceUsage control_usage;
  ResourceUsage treatment_usage;

  [[nodiscard]] std::vector<double>& of(Side side) { return side == Side::control ? control : treatment; }
};

/// The same launch for values of another metric.
[[nodiscard]] inline Launch without_values(const Launch& launch) {
  Launch values;
  values.index = launch.index;
  values.first_slot = launch.first_slot;
  values.control_usage = launch.control_usage;
  values.treatment_usage = launch.treatment_usage;
  return values;
}

/// Why a launch gave no samples. `what` is a whole sentence that a person can act on.
struct RunFailure {
  enum class Reason { crashed, timed_out, flooded, protocol, not_started, stopped };
  Side side = Side::control;
  std::uint64_t launch = 0;
  Reason reason = Reason::crashed;
  std::string what;
};

[[nodiscard]] constexpr const char* name_of(RunFailure::Reason reason) {
  constexpr const char* names[] = {
      "crashed",    "timed out", "flooded its output", "broke the protocol", "could not be started",
      "was stopped"};
  return names[static_cast<int>(reason)];
}

/// What a program said about its results beside the values.
struct Remarks {
  std::string info_string = {};                 ///< several different ones stand on lines of their own
  std::map<std::string, double> summary = {};   ///< statistics of its own, by FAI-PEP's names
  std::vector<std::string> custom_output = {};  ///< tables as JSON text; kept with its first series
};

}  // namespace tandem::runners
