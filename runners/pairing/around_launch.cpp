#include "runners/pairing/around_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runners/pairing/golden_output.hpp"
#include "runners/pairing/protocol.hpp"
#include "runners/results/converters.hpp"
#include "specs/benchmark/placeholders.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

class HostCommands {
 public:
  HostCommands(const LaunchGround& ground, std::size_t slot, const char* when, const std::stop_token& stop)
      : ground_(ground), slot_(slot), side_(ground.plan.side_of(slot)), when_(when), stop_(stop) {}

  /// What they print. Throws `Broken`.
  std::string run(const std::vector<specs::HostCommand>& commands) const {
    std::string output;
    for (const specs::HostCommand& command : commands) output += run(command);
    return output;
  }

 private:
  [[nodiscard]] std::string named(const specs::HostCommand& command) const {
    return fmt::format("in the command {} its launch, \"{}\"", when_, shortened(command.text, 100));
  }

  [[nodiscard]] RunFailure refused(const specs::HostCommand& command, const std::string& why) const {
    return {side_, ground_.plan.index, RunFailure::Reason::not_started,
            fmt::format("{} failed {}: {}", name_of(side_), named(command), why)};
  }

  [[nodiscard]] Command command_of(const specs::HostCommand& command) const {
    std::vector<std::string> words;
    try {
      words = specs::split_words(command.text);
    } catch (const InputError& error) {
      throw Broken{refused(command, error.what())};
    }
    if (words.empty()) throw Broken{refused(command, "it is empty")};
    Command started = command_in_slot(ground_, slot_, words);
    std::erase_if(started.environment,
                  [](const std::string& entry) { return entry.starts_with("TANDEM_FD="); });
    for (const auto& [name, value] : command.env)
      set_variable(started.environment, fmt::format("{}={}", name, value));
    started.cpus = {};
    return started;
  }

  [[nodiscard]] std::string run(const specs::HostCommand& command) const {
    const Command started = command_of(command);
    const auto wanted = command.ignore_status ? ProgramPair::Status::any : ProgramPair::Status::must_be_zero;
    Limits limits{ground_.deadline(), ground_.settings.output_bytes};
    if (command.timeout)
      limits.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(*command.timeout);
    Finished finished;
    for (int attempt = 0; attempt < std::max(1, command.tries); ++attempt) {
      finished = run_command(started, limits, stop_);
      if (ended_well(finished, wanted) || finished.how == Finished::How::stopped) break;
    }
    if (!ended_well(finished, wanted))
      throw Broken{failure_of(side_, ground_.plan.index, finished, named(command))};
    if (finished.left_behind > 0) {
      RunFailure failure = left_behind_by(side_, ground_.plan.index, finished.left_behind);
      failure.what += " " + named(command);
      throw Broken{std::move(failure)};
    }
    return std::move(finished.output);
  }

  const LaunchGround& ground_;
  std::size_t slot_;
  Side side_;
  const char* when_;
  const std::stop_token& stop_;
};

/// Throws `Broken`.
std::vector<Series> read_written(const LaunchGround& ground, std::size_t slot) {
  std::vector<Series> all;
  const Side side = ground.plan.side_of(slot);
  for (const specs::FileSpec& file : ground.pair.written) {
    const auto refuse = [&](const std::string& why) {
      return Broken{{side, ground.plan.index, RunFailure::Reason::protocol,
                     fmt::format("the file {} of {} {}", file.location, name_of(side), why)}};
    };
    const Converter converter = find_converter(file.converter.name);
    if (converter == nullptr) continue;
    const fs::path path = path_on_host(ground, slot, file.location);
    if (!is_theirs(ground, slot, path)) throw refuse("lies outside of the directories to write in");
    auto content = read_output_file(path, Links::refused);
    if (const auto* why = std::get_if<std::string>(&content)) throw refuse(*why);
    auto series = converter(std::get<FileBytes>(content).bytes, file.converter);
    if (const auto* wrong = std::get_if<std::string>(&series))
      throw refuse(fmt::format("cannot be read: {}", *wrong));
    if (std::get<std::vector<Series>>(series).empty())
      throw refuse(fmt::format("holds nothing for the converter {}", file.converter.name));
    merge(all, std::get<std::vector<Series>>(std::move(series)));
  }
  return all;
}

bool lies_in_kept(const ProgramPair& pair, const specs::FileSpec& file) {
  return std::any_of(pair.kept_names.begin(), pair.kept_names.end(),
                     [&](const std::string& name) { return file.location.starts_with("{" + name + "}"); });
}

}  // namespace

std::optional<RunFailure> open_slot(const LaunchGround& ground, std::size_t slot,
                                    const std::stop_token& stop) {
  for (const specs::FileSpec& file : ground.pair.written) {
    // What an earlier launch left must not be taken for this one's.
    std::error_code error;
    if (!lies_in_kept(ground.pair, file) || file.converter.name.empty()) continue;
    const fs::path path = path_on_host(ground, slot, file.location);
    if (is_theirs(ground, slot, path)) fs::remove(path, error);
  }
  const HostCommands commands(ground, slot, "before", stop);
  try {
    if (ground.plan.index % ground.pair.repeat == 0)
      static_cast<void>(commands.run(ground.pair.before_first));
    static_cast<void>(commands.run(ground.pair.before));
  } catch (const Broken& broken) {
    return broken.failure;
  }
  return std::nullopt;
}

std::variant<std::string, RunFailure> run_after(const LaunchGround& ground, std::size_t slot,
                                                const std::stop_token& stop) {
  const HostCommands commands(ground, slot, "after", stop);
  try {
    std::string printed = commands.run(ground.pair.after);
    if (ground.plan.index % ground.pair.repeat == ground.pair.repeat - 1)
      printed += commands.run(ground.pair.after_last);
    return printed;
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

std::variant<SlotEnd, RunFailure> close_slot(const LaunchGround& ground, std::size_t slot, Finished finished,
                                             const std::stop_token& stop) {
  auto after = run_after(ground, slot, stop);
  if (const auto* failure = std::get_if<RunFailure>(&after)) return *failure;
  try {
    return SlotEnd{std::move(finished), std::get<std::string>(std::move(after)), read_written(ground, slot)};
  } catch (const Broken& broken) {
    return broken.failure;
  }
}

}  // namespace tandem::runners
