#include "runners/pairing/further_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>

#include "runners/pairing/around_launch.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/pairing/whole_process.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

/// A smaller change of these values, as a share, is none: they hardly scatter.
constexpr double size_tolerance = 0.01;
constexpr double instructions_tolerance = 0.005;
constexpr double memory_tolerance = 0.05;

class Further {
 public:
  Further(const AfterLaunch& after, const std::stop_token& stop)
      : after_(after), stop_(stop), wanted_(after.pair.further_metrics) {
    if (wanted_.empty() && after.subject.protocol == Protocol::command) wanted_ = {"cpu_time", "peak_memory"};
  }

  std::vector<Sampled> measure() {
    // In a duet whoever ends first goes on working: both use the same.
    if (wants("cpu_time") && after_.plan.shape.pairing != Pairing::duet) {
      add({"cpu_time", "ns"}, [&](Side side) { return static_cast<double>(usage_of(side).cpu().count()); });
    }
    if (wants("peak_memory")) {
      specs::Metric metric{"peak_memory", "B"};
      metric.tolerance = memory_tolerance;
      add(metric, [&](Side side) { return static_cast<double>(usage_of(side).peak_resident_bytes); });
    }
    if (after_.plan.extra_runs == LaunchPlan::ExtraRuns::no) return std::move(sampled_);
    if (wants("size")) {
      specs::Metric metric{"size", "B"};
      metric.tolerance = size_tolerance;
      add(metric, [&](Side side) {
        std::error_code error;
        const auto size = fs::file_size(after_.pair.of(side), error);
        return error ? 0.0 : static_cast<double>(size);
      });
    }
    if (wants("instructions")) count();
    if (wants("error") && after_.pair.golden) compare();
    return std::move(sampled_);
  }

 private:
  [[nodiscard]] bool wants(const char* name) const {
    return std::find(wanted_.begin(), wanted_.end(), name) != wanted_.end();
  }
  [[nodiscard]] bool takes_part(Side side) const { return !after_.plan.only || *after_.plan.only == side; }
  [[nodiscard]] const ResourceUsage& usage_of(Side side) const {
    return side == Side::control ? after_.launch.control_usage : after_.launch.treatment_usage;
  }

  Sampled& begin(const specs::Metric& metric) {
    const std::string& benchmark = after_.subject.benchmark;
    return sampled_.emplace_back(
        Sampled{benchmark.empty() ? "command" : benchmark, metric, without_values(after_.launch)});
  }

  /// One value per side; none at all if the host does not know one of them.
  void add(const specs::Metric& metric, const std::function<double(Side)>& value_of) {
    Sampled& sampled = begin(metric);
    bool known = true;
    for (const Side side : {Side::control, Side::treatment}) {
      if (!takes_part(side)) continue;
      const double value = value_of(side);
      known = known && value > 0;
      sampled.launch.of(side).push_back(value);
    }
    if (!known) sampled_.pop_back();
  }

  void count() {
    auto found = find_instruction_tool(after_.pair.instructions, after_.settings.environment, stop_);
    if (const auto* why = std::get_if<std::string>(&found))
      throw LaunchFailed{{Side::control, after_.plan.index, RunFailure::Reason::not_started, *why}};
    const ProgramCopies copies(after_.settings.scratch, after_.pair, after_.plan);
    specs::Metric metric{"instructions", "instructions"};
    metric.tolerance = instructions_tolerance;
    add(metric, [&](Side side) {
      const LaunchContext context{after_.settings, after_.pair, after_.plan, copies};
      const std::size_t slot = after_.plan.slot_of(side);
      // Extra runs find what their side has before every launch, and do what it does after.
      open_slot(context, slot, stop_);
      const double counted =
          count_instructions(std::get<InstructionTool>(found), context, after_.subject, slot, stop_);
      run_after(context, slot, stop_);
      return counted;
    });
  }

  /// Each side writes into a directory that nobody else has written to.
  ProgramPair with_fresh_scratch(const ProgramCopies& copies) const {
    constexpr std::size_t number = 1000;  // apart from those that a sandbox has for itself
    ProgramPair pair = after_.pair;
    for (const Side side : {Side::control, Side::treatment}) {
      const std::string folder = copies.scratch_in_slot(after_.plan.slot_of(side), number).string();
      auto& values = side == Side::control ? pair.control_values : pair.treatment_values;
      for (const std::string& name : pair.scratch_names) {
        if (!pair.kept_names.contains(name)) values[name] = folder;
      }
    }
    return pair;
  }

  void compare() {
    const specs::Golden& golden = *after_.pair.golden;
    const auto expected = golden_numbers(golden);
    const ProgramCopies copies(after_.settings.scratch, after_.pair, after_.plan);
    const ProgramPair pair = with_fresh_scratch(copies);
    const ProcessLaunch launch{{after_.settings, pair, after_.plan, copies},
                               commands_for(pair, after_.subject)};
    std::array<std::vector<NamedError>, 2> errors;
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const Side side = after_.plan.side_of(slot);
      if (takes_part(side))
        errors.at(static_cast<std::size_t>(side)) = errors_in_slot(launch, slot, golden, expected);
    }
    const auto& some = takes_part(Side::control) ? errors[0] : errors[1];
    for (std::size_t i = 0; i < some.size(); ++i) {
      Sampled& sampled = begin(some[i].metric);
      if (takes_part(Side::control)) sampled.launch.control = {errors[0].at(i).value};
      if (takes_part(Side::treatment)) sampled.launch.treatment = {errors[1].at(i).value};
    }
  }

  std::vector<double> golden_numbers(const specs::Golden& golden) const {
    const auto refuse = [&](const std::string& why) {
      return LaunchFailed{{Side::control, after_.plan.index, RunFailure::Reason::not_started,
                           fmt::format("the golden file {} {}", golden.file.string(), why)}};
    };
    const auto content = read_output_file(golden.file, Links::followed);
    if (const auto* why = std::get_if<std::string>(&content)) throw refuse(*why);
    auto numbers = read_numbers(std::get<FileBytes>(content).bytes, golden.type);
    if (const auto* why = std::get_if<std::string>(&numbers)) throw refuse(*why);
    if (std::get<std::vector<double>>(numbers).empty()) throw refuse("holds no numbers");
    return std::get<std::vector<double>>(std::move(numbers));
  }

  std::vector<NamedError> errors_in_slot(const ProcessLaunch& launch, std::size_t slot,
                                         const specs::Golden& golden,
                                         const std::vector<double>& expected) const {
    const Side side = after_.plan.side_of(slot);
    const auto refuse = [&](const std::string& why) {
      return LaunchFailed{{side, after_.plan.index, RunFailure::Reason::protocol,
                           fmt::format("the output of {} for the golden file {}", name_of(side), why)}};
    };
    open_slot(launch, slot, stop_);
    std::string bytes = run_slot(launch, slot, after_.settings.cpus.measured, stop_).output;
    run_after(launch, slot, stop_);
    if (!golden.output.empty()) {
      const fs::path file = path_on_host(launch, slot, golden.output);
      if (launch.settings.sandbox && !is_theirs(launch, slot, file))
        throw refuse("is a link to somewhere else");
      auto content = read_output_file(file, Links::refused);
      if (const auto* why = std::get_if<std::string>(&content)) throw refuse(*why);
      bytes = std::move(std::get<FileBytes>(content).bytes);
    }
    const auto numbers = read_numbers(bytes, golden.type);
    if (const auto* why = std::get_if<std::string>(&numbers)) throw refuse(*why);
    const auto& found = std::get<std::vector<double>>(numbers);
    if (found.size() != expected.size())
      throw refuse(fmt::format("has {} numbers where that has {}", found.size(), expected.size()));
    return named(compare_output(expected, found, golden), golden);
  }

  const AfterLaunch& after_;
  const std::stop_token& stop_;
  std::vector<std::string> wanted_;
  std::vector<Sampled> sampled_;
};

}  // namespace

std::vector<Sampled> further_metrics(const AfterLaunch& after, const std::stop_token& stop) {
  return Further(after, stop).measure();
}

void add_unknown(std::vector<Sampled>& sampled, std::vector<Sampled> further) {
  for (Sampled& one : further) {
    const bool known = std::any_of(sampled.begin(), sampled.end(), [&](const Sampled& each) {
      return each.benchmark == one.benchmark && each.metric.name == one.metric.name;
    });
    if (!known) sampled.push_back(std::move(one));
  }
}

}  // namespace tandem::runners
