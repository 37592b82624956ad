#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <utility>

#include "runners/pairing/pair_runner.hpp"
#include "runners/process/process.hpp"
#include "support/programs.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {

/// The first launch of a screen, in which everything is measured.
inline LaunchPlan first_plan() {
  LaunchPlan plan = plan_launch(3, 0, {});
  plan.extra_runs = LaunchPlan::ExtraRuns::yes;
  return plan;
}

/// Launches of whole processes that leave nothing behind.
class WholeProcessTest : public testing::Test {
 protected:
  WholeProcessTest() : runner_(settings()) {}

  HostSettings settings() const {
    HostSettings settings;
    settings.scratch = scratch_.path();
    settings.environment = current_environment();
    settings.deadline = std::chrono::seconds{20};
    settings.output_bytes = 100'000;
    // A host with one core has no place for two sides; here they only have to run.
    if (settings.cpus.duet[0].empty()) settings.cpus.duet = {settings.cpus.measured, settings.cpus.measured};
    return settings;
  }

  static ProgramPair pair(const std::string& control, const std::string& treatment,
                          std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), "{program}");
    return {tests::program(control), tests::program(treatment), {std::move(arguments)}, {}, {}, {}};
  }

  /// A shell on both sides; "{name}" in the script is the side's own value.
  static ProgramPair scripts(const std::string& script, std::map<std::string, std::string> control,
                             std::map<std::string, std::string> treatment) {
    return {"/bin/sh", "/bin/sh",          {{"{program}", "-c", script}},
            {},        std::move(control), std::move(treatment)};
  }

  static Subject subject(Protocol protocol, Pairing pairing = Pairing::process,
                         const std::string& benchmark = "command") {
    Subject subject{protocol, benchmark, {}};
    subject.shape.pairing = pairing;
    return subject;
  }

  LaunchResult launch(const ProgramPair& programs, const Subject& what, const LaunchPlan& plan) {
    auto result = runner_.launch(programs, what, plan, {});
    expect_nothing_left();
    return result;
  }

  std::vector<Sampled> sampled(const ProgramPair& programs, const Subject& what,
                               const LaunchPlan& plan = first_plan()) {
    auto result = launch(programs, what, plan);
    if (const auto* failure = std::get_if<RunFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<std::vector<Sampled>>(std::move(result));
  }

  RunFailure failure(const ProgramPair& programs, const Subject& what,
                     const LaunchPlan& plan = first_plan()) {
    auto result = launch(programs, what, plan);
    if (const auto* failure = std::get_if<RunFailure>(&result)) return *failure;
    ADD_FAILURE() << "no failure";
    return {};
  }

  static const Sampled* find(const std::vector<Sampled>& all, const std::string& benchmark,
                             const std::string& metric) {
    for (const Sampled& one : all) {
      if (one.benchmark == benchmark && one.metric.name == metric) return &one;
    }
    return nullptr;
  }

  void expect_nothing_left() const {
    EXPECT_EQ(tests::entries(scratch_.path()), 0u) << "copies left behind";
    EXPECT_TRUE(::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD) << "a process left behind";
  }

  tests::TemporaryDirectory scratch_;
  tests::TemporaryDirectory notes_;  ///< where scripts leave their marks
  HostPairRunner runner_;
};

}  // namespace tandem::runners
