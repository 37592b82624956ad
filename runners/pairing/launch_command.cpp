#include "runners/pairing/launch_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "runners/process/bubblewrap.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

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

/// The directories of one slot that values name, as the host has them.
struct Directories {
  std::map<fs::path, fs::path> fresh;  ///< of this launch and slot, by the path that the value names
  std::set<fs::path> kept;
};

Directories directories_of(const LaunchContext& context, const Values& values, std::size_t slot,
                           Scratch scratch) {
  Directories directories;
  for (const auto& [name, value] : values) {
    if (!value.starts_with('/')) continue;
    if (context.pair.kept_names.contains(name)) {
      directories.kept.insert(value);
    } else if (context.pair.scratch_names.contains(name)) {
      directories.fresh[value];
    }
  }
  std::size_t number = 0;
  for (auto& [path, folder] : directories.fresh)
    folder = context.copies.scratch_in_slot(slot, number++, scratch);
  for (const fs::path& path : directories.kept) {
    std::error_code error;
    if (fs::create_directories(path, error)) give_to_sandbox(path);
    if (error) throw Error(fmt::format("cannot make {}: {}", path.string(), error.message()));
  }
  return directories;
}

/// Unless something is mounted there already.
void add_mount(Sandbox& sandbox, const fs::path& from, const fs::path& inside, Sandbox::Access access) {
  const bool is_shown = std::any_of(sandbox.mounts.begin(), sandbox.mounts.end(),
                                    [&](const Sandbox::Mount& mount) { return mount.inside == inside; });
  if (!is_shown) sandbox.mounts.push_back({from, inside, access});
}

/// To read only. What is not there cannot be shown; the program that misses it says so.
void show(Sandbox& sandbox, const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) add_mount(sandbox, path, path, Sandbox::Access::read);
}

/// Inside, directories are visible under their own paths, to write in; everything else that values name is
/// read-only.
void add_launch_mounts(Sandbox& sandbox, const Directories& directories, const Values& values) {
  for (const fs::path& path : directories.kept) add_mount(sandbox, path, path, Sandbox::Access::write);
  for (const auto& [path, folder] : directories.fresh)
    add_mount(sandbox, folder, path, Sandbox::Access::write);
  for (const auto& [name, value] : values) {
    const fs::path path = value;
    if (path.is_absolute() && path.has_relative_path() && !directories.fresh.contains(path))
      show(sandbox, path);
  }
}

/// Without a sandbox, values that name a fresh directory, or something that is still to be written into it,
/// mean the one of this slot.
void use_fresh_directories(Values& values, const Directories& directories) {
  for (auto& [name, value] : values) {
    for (const auto& [path, folder] : directories.fresh) {
      const std::string& shown = path.native();
      std::error_code error;
      if (value == shown || (value.starts_with(shown + "/") && !fs::exists(value, error))) {
        value = folder.native() + value.substr(shown.size());
        break;
      }
    }
  }
}

/// Values that name the executable's folder, or something in it, are turned to its copy in this slot.
void use_copied_folder(Values& values, const fs::path& whole, const fs::path& copy) {
  if (whole.empty()) return;
  for (auto& [name, value] : values) {
    const std::string& folder = whole.native();
    if (value == folder || value.starts_with(folder + "/"))
      value = copy.native() + value.substr(folder.size());
  }
}

/// What the names stand for in a slot, before any directory has its place.
Values values_in_slot(const LaunchContext& context, std::size_t slot) {
  const bool control = context.plan.side_of(slot) == Side::control;
  Values values = control ? context.pair.control_values : context.pair.treatment_values;
  values["INDEX"] = std::to_string(context.plan.index % std::max<std::uint64_t>(1, context.pair.repeat));
  for (auto& [name, value] : values) {
    if (value.starts_with('{')) value = with_values(value, values);
  }
  return values;
}

std::vector<std::string> environment_in_slot(const LaunchContext& context, std::size_t slot) {
  std::vector<std::string> environment = context.settings.environment;
  for (const std::string& entry : context.pair.environment) set_variable(environment, entry);
  if (context.pair.tell_side) {
    const bool treatment = context.plan.side_of(slot) == Side::treatment;
    set_variable(environment, fmt::format("AIBENCH_TREATMENT_GROUP={}", treatment ? 1 : 0));
  }
  set_variable(environment, fmt::format("TANDEM_FD={}", Children::channel_descriptor));
  set_variable(environment, fmt::format("TANDEM_SEED={}", context.plan.program_seed));
  set_variable(environment,
               fmt::format("TANDEM_PADDING={}", std::string(context.plan.padding_bytes.at(slot), '.')));
  return environment;
}

bool lies_in(const fs::path& file, const fs::path& directory) {
  const fs::path below = file.lexically_relative(directory);
  return !below.empty() && *below.begin() != "..";
}

}  // namespace

Command command_in_slot(const LaunchContext& context, std::size_t slot,
                        const std::vector<std::string>& arguments, Scratch scratch) {
  Command command;
  Values values = values_in_slot(context, slot);
  const fs::path& whole = context.pair.folder_of(context.plan.side_of(slot));
  const fs::path& copied = context.copies.folder_of_slot(slot);
  const bool inside = context.settings.sandbox.has_value();
  const fs::path seen =
      inside ? fs::path(inside_root) / "run" / copied.filename() : copied;  // by the program
  use_copied_folder(values, whole, seen);
  const Directories directories = directories_of(context, values, slot, scratch);
  if (inside) {
    command.sandbox = context.settings.sandbox;
    // Large files of the copy are links to the originals.
    if (!whole.empty()) command.sandbox->mounts.push_back({whole, whole, Sandbox::Access::read});
    command.sandbox->look_cpus = context.settings.cpus.supervisor;
    for (const fs::path& path : context.pair.readable) show(*command.sandbox, path);
    add_launch_mounts(*command.sandbox, directories, values);
    command.sandbox->mounts.push_back({copied, seen, Sandbox::Access::read});
  } else {
    command.foreign = context.settings.foreign;
    command.foreign_limits = context.settings.foreign_limits;
    use_fresh_directories(values, directories);
  }
  values["program"] = (seen / context.copies.in_slot(slot).lexically_relative(copied)).string();
  for (const std::string& argument : arguments) command.argv.push_back(with_values(argument, values));
  command.environment = environment_in_slot(context, slot);
  if (!command.argv.empty() && command.argv[0].find('/') == std::string::npos) {
    if (const auto found = find_program(command.argv[0], command.environment))
      command.argv[0] = found->string();
  }
  command.cpus = context.settings.cpus.measured;
  command.log_file = context.pair.log_file;
  return command;
}

fs::path path_on_host(const LaunchContext& context, std::size_t slot, const std::string& name) {
  const Command command = command_in_slot(context, slot, {"", name});
  const fs::path inside = command.argv.back();
  if (!command.sandbox) return inside;
  for (const Sandbox::Mount& mount : command.sandbox->mounts) {
    if (mount.access == Sandbox::Access::write && lies_in(inside, mount.inside))
      return mount.from / inside.lexically_relative(mount.inside);
  }
  return inside;
}

bool is_theirs(const LaunchContext& context, std::size_t slot, const fs::path& file) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(file, error);
  std::vector<fs::path> roots = {context.settings.scratch};
  const Values values = values_in_slot(context, slot);
  for (const std::string& name : context.pair.kept_names) {
    if (const auto kept = values.find(name); kept != values.end()) roots.emplace_back(kept->second);
  }
  return !error && std::any_of(roots.begin(), roots.end(), [&](const fs::path& root) {
    std::error_code wrong;
    return lies_in(real, fs::weakly_canonical(root, wrong)) && !wrong;
  });
}

void leave_undisturbed(Command& command) {
  if (command.sandbox) command.sandbox->look_every = std::chrono::seconds{1};
}

void set_variable(std::vector<std::string>& environment, std::string entry) {
  const std::string name = entry.substr(0, entry.find('=') + 1);
  std::erase_if(environment, [&](const std::string& each) { return each.starts_with(name); });
  environment.push_back(std::move(entry));
}

std::optional<fs::path> find_program(const std::string& name, const std::vector<std::string>& environment) {
  std::string_view path = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) path = std::string_view(entry).substr(5);
  }
  return find_on_path(name, path);
}

}  // namespace tandem::runners
