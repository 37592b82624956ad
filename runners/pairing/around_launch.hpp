#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <variant>

#include "runners/pairing/launch_command.hpp"
#include "runners/results/result_reader.hpp"

namespace tandem::runners {

// What a slot does before and after its commands. None of it is measured. A command that fails is the failure
// of its side (`LaunchFailed`), with a sentence that names it.

/// Removes the results of an earlier launch that are still in kept directories, and runs `before`.
void open_slot(const LaunchContext& context, std::size_t slot, const std::stop_token& stop);

/// Runs `after` and gives what it printed.
std::string run_after(const LaunchContext& context, std::size_t slot, const std::stop_token& stop);

/// Runs `after` and reads the files with results. `finished` is how the commands ended.
[[nodiscard]] SlotEnd close_slot(const LaunchContext& context, std::size_t slot, Finished finished,
                                 const std::stop_token& stop);

/// A regular file of bounded size, not behind a link, or a sentence that says why it cannot be read.
struct FileBytes {
  std::string bytes;
};
enum class Links { followed, refused };
[[nodiscard]] std::variant<FileBytes, std::string> read_output_file(const std::filesystem::path& file,
                                                                    Links links);

}  // namespace tandem::runners
