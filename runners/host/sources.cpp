#include "runners/host/sources.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_setting = std::size_t{4} << 20;
constexpr const char* cpu_folder = "sys/devices/system/cpu";
constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::optional<std::string> text_of(const PlatformSources& sources, const fs::path& file) {
  std::ifstream stream(sources.root / file, std::ios::binary);
  std::string text;
  std::string piece(65536, '\0');
  // The kernel says that its files are empty, so they are read until nothing more comes.
  while (stream && text.size() < longest_setting) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (text.empty()) return std::nullopt;
  text.resize(std::min(text.size(), longest_setting));
  return text;
}

std::optional<std::string> first_line(const PlatformSources& sources, const fs::path& file) {
  const auto text = text_of(sources, file);
  if (!text) return std::nullopt;
  const auto line = trimmed(std::string_view(*text).substr(0, text->find('\n')));
  return line.empty() ? std::nullopt : std::optional(std::string(line));
}

std::optional<long long> number_in(const PlatformSources& sources, const fs::path& file) {
  const auto line = first_line(sources, file);
  return line ? number_from<long long>(*line) : std::nullopt;
}

std::vector<fs::path> numbered(const PlatformSources& sources, const fs::path& folder,
                               std::string_view prefix) {
  std::vector<std::pair<unsigned, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator at(sources.root / folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    if (const auto number = number_from<unsigned>(std::string_view(name).substr(prefix.size()))) {
      found.emplace_back(*number, folder / name);
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<fs::path> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

std::optional<fs::path> installed(const PlatformSources& sources, const std::string& program) {
  for (const char* folder : {"usr/bin", "usr/local/bin", "bin", "usr/sbin"}) {
    const fs::path path = sources.root / folder / program;
    std::error_code error;
    if (fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

std::optional<std::string> cpuinfo_field(std::string_view cpuinfo, std::string_view field) {
  while (!cpuinfo.empty()) {
    const auto end = cpuinfo.find('\n');
    const std::string_view line = cpuinfo.substr(0, end);
    // A blank line ends what is said of the first processor.
    if (trimmed(line).empty()) break;
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == field) {
      const auto value = trimmed(line.substr(colon + 1));
      return value.empty() ? std::nullopt : std::optional(std::string(value));
    }
    cpuinfo.remove_prefix(end == std::string_view::npos ? cpuinfo.size() : end + 1);
  }
  return std::nullopt;
}

std::vector<std::string> governors(const PlatformSources& sources) {
  std::vector<std::string> found;
  for (const fs::path& cpu : numbered(sources, cpu_folder, "cpu")) {
    const auto governor = first_line(sources, cpu / "cpufreq/scaling_governor");
    if (governor && std::find(found.begin(), found.end(), *governor) == found.end()) {
      found.push_back(*governor);
    }
  }
  return found;
}

std::optional<bool> turbo(const PlatformSources& sources) {
  if (const auto off = number_in(sources, "sys/devices/system/cpu/intel_pstate/no_turbo")) return *off == 0;
  if (const auto on = number_in(sources, "sys/devices/system/cpu/cpufreq/boost")) return *on != 0;
  std::optional<bool> any;
  for (const fs::path& policy : numbered(sources, "sys/devices/system/cpu/cpufreq", "policy")) {
    if (const auto on = number_in(sources, policy / "boost")) any = any.value_or(false) || *on != 0;
  }
  return any;
}

std::string clock_range(const PlatformSources& sources, const char* file) {
  long long low = std::numeric_limits<long long>::max();
  long long high = 0;
  for (const fs::path& cpu : numbered(sources, cpu_folder, "cpu")) {
    if (const auto khz = number_in(sources, cpu / "cpufreq" / file)) {
      low = std::min(low, *khz / 1000);
      high = std::max(high, *khz / 1000);
    }
  }
  if (high == 0) return "";
  return low == high ? fmt::format("{}", high) : fmt::format("{} to {}", low, high);
}

std::optional<long long> most_throttled(const PlatformSources& sources) {
  std::optional<long long> most;
  for (const fs::path& cpu : numbered(sources, cpu_folder, "cpu")) {
    for (const char* file : {"core_throttle_count", "package_throttle_count"})
      most = std::max(most, number_in(sources, cpu / "thermal_throttle" / file));
  }
  return most && *most >= 0 ? most : std::nullopt;
}

namespace {

constexpr long long absurd = 200'000;  // sensors that are not there report such values, or 0 and below

/// The lowest trip point of a zone at which the kernel or the hardware acts.
std::optional<long long> limit_of(const PlatformSources& sources, const fs::path& zone) {
  std::optional<long long> limit;
  for (int trip = 0; trip < 16; ++trip) {
    const auto kind = first_line(sources, zone / fmt::format("trip_point_{}_type", trip));
    if (!kind) break;
    if (*kind != "critical" && *kind != "hot" && *kind != "passive") continue;
    const auto at = number_in(sources, zone / fmt::format("trip_point_{}_temp", trip));
    if (at && *at > 0 && *at < absurd) limit = std::min(limit.value_or(*at), *at);
  }
  return limit;
}

}  // namespace

Heat read_heat(const PlatformSources& sources) {
  Heat heat;
  for (const fs::path& zone : numbered(sources, "sys/class/thermal", "thermal_zone")) {
    const auto now = number_in(sources, zone / "temp");
    if (!now || *now <= 0 || *now >= absurd) continue;
    heat.hottest = std::max(heat.hottest.value_or(*now), *now);
    if (const auto limit = limit_of(sources, zone))
      heat.least_room = std::min(heat.least_room.value_or(*limit - *now), *limit - *now);
  }
  return heat;
}

std::optional<SwapSpace> read_swap(const PlatformSources& sources) {
  const auto text = text_of(sources, "proc/swaps");
  if (!text) return std::nullopt;
  SwapSpace all;
  std::istringstream lines(*text);
  std::string line;
  std::getline(lines, line);  // the headings
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string file, type;
    long long size = 0;
    long long used = 0;
    if (!(fields >> file >> type >> size >> used)) continue;
    all.size_kib += std::clamp(size, 0LL, 1LL << 50);
    all.used_kib += std::clamp(used, 0LL, 1LL << 50);
  }
  return all;
}

}  // namespace tandem::runners
