#include "runners/pairing/around_launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "runners/pairing/protocol.hpp"
#include "runners/results/adapter.hpp"
#include "specs/benchmark/placeholders.hpp"
#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{64} << 20;

class HostCommands {
 public:
  HostCommands(const LaunchContext& context, std::size_t slot, const char* when, const std::stop_token& stop)
      : context_(context), slot_(slot), side_(context.plan.side_of(slot)), when_(when), stop_(stop) {}

  /// What they print.
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
    return {side_, context_.plan.index, RunFailure::Reason::not_started,
            fmt::format("{} failed {}: {}", name_of(side_), named(command), why)};
  }

  [[nodiscard]] Command command_of(const specs::HostCommand& command) const {
    std::vector<std::string> words;
    try {
      words = specs::split_words(command.text);
    } catch (const InputError& error) {
      throw LaunchFailed{refused(command, error.what())};
    }
    if (words.empty()) throw LaunchFailed{refused(command, "it is empty")};
    Command started = command_in_slot(context_, slot_, words);
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
    Limits limits{context_.deadline(), context_.settings.output_bytes};
    if (command.timeout)
      limits.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(*command.timeout);
    Finished finished;
    for (int attempt = 0; attempt < std::max(1, command.tries); ++attempt) {
      finished = run_command(started, limits, stop_);
      if (ended_well(finished, wanted) || finished.how == Finished::How::stopped) break;
    }
    expect_good_end(side_, context_.plan.index, finished, wanted, named(command));
    return std::move(finished.output);
  }

  const LaunchContext& context_;
  std::size_t slot_;
  Side side_;
  const char* when_;
  const std::stop_token& stop_;
};

std::vector<Series> read_written(const LaunchContext& context, std::size_t slot) {
  std::vector<Series> all;
  const Side side = context.plan.side_of(slot);
  for (const specs::FileSpec& file : context.pair.written) {
    const auto refuse = [&](const std::string& why) {
      return LaunchFailed{{side, context.plan.index, RunFailure::Reason::protocol,
                           fmt::format("the file {} of {} {}", file.location, name_of(side), why)}};
    };
    const ResultAdapter* adapter = find_adapter(file.converter.name);
    if (adapter == nullptr) continue;
    const fs::path path = path_on_host(context, slot, file.location);
    if (!is_theirs(context, slot, path)) throw refuse("lies outside of the directories to write in");
    auto content = read_output_file(path, Links::refused);
    if (const auto* why = std::get_if<std::string>(&content)) throw refuse(*why);
    auto series = adapter->read(std::get<FileBytes>(content).bytes, file.converter.args);
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

void open_slot(const LaunchContext& context, std::size_t slot, const std::stop_token& stop) {
  for (const specs::FileSpec& file : context.pair.written) {
    // What an earlier launch left must not be taken for this one's.
    std::error_code error;
    if (!lies_in_kept(context.pair, file) || file.converter.name.empty()) continue;
    const fs::path path = path_on_host(context, slot, file.location);
    if (is_theirs(context, slot, path)) fs::remove(path, error);
  }
  const HostCommands commands(context, slot, "before", stop);
  if (context.plan.index % context.pair.repeat == 0) commands.run(context.pair.before_first);
  commands.run(context.pair.before);
}

std::string run_after(const LaunchContext& context, std::size_t slot, const std::stop_token& stop) {
  const HostCommands commands(context, slot, "after", stop);
  std::string printed = commands.run(context.pair.after);
  if (context.plan.index % context.pair.repeat == context.pair.repeat - 1)
    printed += commands.run(context.pair.after_last);
  return printed;
}

SlotEnd close_slot(const LaunchContext& context, std::size_t slot, Finished finished,
                   const std::stop_token& stop) {
  std::string after = run_after(context, slot, stop);
  return {std::move(finished), std::move(after), read_written(context, slot)};
}

std::variant<FileBytes, std::string> read_output_file(const std::filesystem::path& file, Links links) {
  // A program may put anything there: a pipe that never ends, a link to a file that is not its own.
  const int follow = links == Links::refused ? O_NOFOLLOW : 0;
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | follow));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0)
    return fmt::format("cannot be opened: {}", std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return "is not a regular file";
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most_bytes) return fmt::format("has {} bytes; at most {} are read", size, most_bytes);
  FileBytes content{std::string(size, '\0')};
  std::size_t have = 0;
  while (have < size) {
    const auto n = ::read(descriptor.get(), content.bytes.data() + have, size - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  content.bytes.resize(have);
  return content;
}

}  // namespace tandem::runners
