#include "runners/launch_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "runners/confine.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, std::string>;

/// Replaces every "{name}" that has a value, once; values are taken as they are.
std::string with_values(const std::string& text, const Values& values) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto open = text.find('{', at);
    const auto close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return result + text.substr(at);
    const auto value = values.find(text.substr(open + 1, close - open - 1));
    result += text.substr(at, open - at);
    // Braces that mean nothing may hold some that do.
    result += value != values.end() ? value->second : "{";
    at = value != values.end() ? close + 1 : open + 1;
  }
  return result;
}

/// What the values name becomes visible under its own path: scratch directories as fresh ones of this launch
/// and slot, everything else read-only.
void add_mounts(Sandbox& sandbox, const ProgramPair& pair, const Values& values, const ProgramCopies& copies,
                std::size_t slot) {
  std::set<fs::path> seen;
  for (const auto& mount : sandbox.mounts) seen.insert(mount.inside);
  std::set<fs::path> fresh;
  for (const auto& [name, value] : values) {
    if (pair.scratch_names.contains(name) && value.starts_with('/') && seen.insert(value).second)
      fresh.insert(value);
  }
  for (const fs::path& path : fresh) {
    const fs::path folder = copies.scratch_in_slot(slot, sandbox.mounts.size());
    sandbox.mounts.push_back({folder, path, Sandbox::Access::write});
  }
  for (const auto& [name, value] : values) {
    std::error_code error;
    const fs::path path = value;
    if (!path.is_absolute() || !path.has_relative_path() || pair.scratch_names.contains(name)) continue;
    if (fs::exists(path, error) && seen.insert(path).second)
      sandbox.mounts.push_back({path, path, Sandbox::Access::read});
  }
}

/// Values that name the executable's folder, or something in it, are turned to its copy in this slot.
void mean_the_copy(Values& values, const fs::path& whole, const fs::path& copy) {
  if (whole.empty()) return;
  for (auto& [name, value] : values) {
    const std::string& folder = whole.native();
    if (value == folder || value.starts_with(folder + "/"))
      value = copy.native() + value.substr(folder.size());
  }
}

}  // namespace

Command command_in_slot(const HostSettings& settings, const ProgramPair& pair, const LaunchPlan& plan,
                        std::size_t slot, const std::vector<std::string>& arguments,
                        const ProgramCopies& copies) {
  Command command;
  const Side side = plan.side_of(slot);
  auto values = side == Side::control ? pair.control_values : pair.treatment_values;
  const fs::path& whole = pair.folder_of(side);
  const fs::path& copied = copies.folder_of_slot(slot);
  const fs::path seen =
      settings.sandbox ? fs::path(inside_root) / "run" / copied.filename() : copied;  // by the program
  mean_the_copy(values, whole, seen);
  if (settings.sandbox) {
    command.sandbox = settings.sandbox;
    // Large files of the copy are links to the originals.
    if (!whole.empty()) command.sandbox->mounts.push_back({whole, whole, Sandbox::Access::read});
    add_mounts(*command.sandbox, pair, values, copies, slot);
    command.sandbox->mounts.push_back({copied, seen, Sandbox::Access::read});
  }
  values["program"] = (seen / copies.in_slot(slot).lexically_relative(copied)).string();
  for (const std::string& argument : arguments) command.argv.push_back(with_values(argument, values));
  command.environment = settings.environment;
  command.environment.insert(command.environment.end(), pair.environment.begin(), pair.environment.end());
  command.environment.push_back(fmt::format("TANDEM_FD={}", Children::channel_descriptor));
  command.environment.push_back(fmt::format("TANDEM_SEED={}", plan.program_seed));
  command.environment.push_back(
      fmt::format("TANDEM_PADDING={}", std::string(plan.padding_bytes.at(slot), '.')));
  command.cpus = settings.cpus.measured;
  return command;
}

void leave_undisturbed(Command& command) {
  if (command.sandbox) command.sandbox->look_every = std::chrono::milliseconds{0};
}

}  // namespace tandem::runners
