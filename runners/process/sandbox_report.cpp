#include "runners/process/sandbox_report.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace tandem::runners {
namespace {

using How = Finished::How;
constexpr std::string_view beginning = "started\n";
constexpr std::array<std::pair<std::string_view, How>, 7> words = {{{"exited", How::exited},
                                                                    {"signalled", How::signalled},
                                                                    {"over_memory", How::over_memory},
                                                                    {"over_disk", How::over_disk},
                                                                    {"over_processes", How::over_processes},
                                                                    {"not_started", How::not_started},
                                                                    {"stopped", How::stopped}}};

std::optional<std::array<std::uint64_t, 8>> numbers_of(std::string_view text) {
  std::array<std::uint64_t, 8> numbers{};
  for (std::uint64_t& number : numbers) {
    if (text.empty() || text.front() != ' ') return std::nullopt;
    text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (text != "\n" || numbers[0] > 0xffff) return std::nullopt;
  return numbers;
}

bool take_line(std::string_view line, Finished& finished) {
  for (const auto& [word, how] : words) {
    if (!line.starts_with(word)) continue;
    const auto numbers = numbers_of(line.substr(word.size()));
    if (!numbers) return false;
    const auto& [code, wall_ns, user_us, system_us, peak_kib, voluntary, involuntary, left_behind] = *numbers;
    finished.how = how;
    finished.code = static_cast<int>(code);
    finished.usage.wall = std::chrono::nanoseconds{wall_ns};
    finished.usage.user = std::chrono::microseconds{user_us};
    finished.usage.system = std::chrono::microseconds{system_us};
    finished.usage.peak_resident_bytes = peak_kib * 1024;
    finished.usage.voluntary_switches = voluntary;
    finished.usage.involuntary_switches = involuntary;
    finished.left_behind = left_behind;
    return true;
  }
  return false;
}

}  // namespace

void take_report(std::string_view report, int status, Finished& finished) {
  if (!report.starts_with(beginning)) {
    finished.how = How::no_sandbox;
    finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return;
  }
  report.remove_prefix(beginning.size());
  if (take_line(report, finished)) return;
  // The child ran, and the shim or bubblewrap was killed from inside: the sandbox held, the child is to
  // blame.
  finished.how = How::signalled;
  finished.code = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
}

}  // namespace tandem::runners
