#include "analysis/verdict.hpp"

#include <array>
#include <utility>

namespace tandem::analysis {
namespace {

constexpr std::array<std::pair<Outcome, const char*>, 12> names = {{
    {Outcome::identical, "identical"},
    {Outcome::slower, "slower"},
    {Outcome::faster, "faster"},
    {Outcome::unchanged, "unchanged"},
    {Outcome::inconclusive, "inconclusive"},
    {Outcome::unmeasurable, "unmeasurable"},
    {Outcome::failed, "failed"},
    {Outcome::control_fails, "control_fails"},
    {Outcome::treatment_fails, "treatment_fails"},
    {Outcome::added, "new"},
    {Outcome::redefined, "redefined"},
    {Outcome::missing, "missing"},
}};

}  // namespace

const char* name_of(Outcome outcome) {
  for (const auto& [one, name] : names) {
    if (one == outcome) return name;
  }
  return "unknown";
}

std::optional<Outcome> outcome_named(std::string_view name) {
  for (const auto& [outcome, one] : names) {
    if (one == name) return outcome;
  }
  return std::nullopt;
}

bool is_failure(Outcome outcome) {
  return outcome == Outcome::failed || outcome == Outcome::control_fails ||
         outcome == Outcome::treatment_fails;
}

}  // namespace tandem::analysis
