#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::runners {

/// Where the kernel's files and the installed programs are looked for: "/", or a made-up tree.
///
/// All paths below are relative to the root. Whatever is missing, unreadable or empty is an empty optional.
struct PlatformSources {
  std::filesystem::path root = "/";
};

/// At most 4 MiB of the file.
[[nodiscard]] std::optional<std::string> text_of(const PlatformSources& sources,
                                                 const std::filesystem::path& file);

/// The first line, without the blanks around it.
[[nodiscard]] std::optional<std::string> first_line(const PlatformSources& sources,
                                                    const std::filesystem::path& file);

/// The first line as a whole number; what follows the number must be blank.
[[nodiscard]] std::optional<long long> number_in(const PlatformSources& sources,
                                                 const std::filesystem::path& file);

/// The entries of a folder that are named `prefix` and a number, such as sys/devices/system/cpu/cpu3, by that
/// number.
[[nodiscard]] std::vector<std::filesystem::path> numbered(const PlatformSources& sources,
                                                          const std::filesystem::path& folder,
                                                          std::string_view prefix);

/// The path of an executable in the usual places, with the root in front.
[[nodiscard]] std::optional<std::filesystem::path> installed(const PlatformSources& sources,
                                                             const std::string& program);

/// The value of a field of the first processor in /proc/cpuinfo's text.
[[nodiscard]] std::optional<std::string> cpuinfo_field(std::string_view cpuinfo, std::string_view field);

/// The different governors that the processors have, in the order of the processors.
[[nodiscard]] std::vector<std::string> governors(const PlatformSources& sources);

/// Whether the clock may rise above its nominal rate, by whichever file the driver says it.
[[nodiscard]] std::optional<bool> turbo(const PlatformSources& sources);

/// What one of the cpufreq files says in MHz, of the processors that have it: "3250" or "2300 to 3900"; empty
/// where none has.
[[nodiscard]] std::string clock_range(const PlatformSources& sources, const char* file);

/// How often the processor that was throttled most has been since boot.
[[nodiscard]] std::optional<long long> most_throttled(const PlatformSources& sources);

/// In thousandths of a degree.
struct Heat {
  std::optional<long long> hottest;
  std::optional<long long> least_room;  ///< below the temperature at which the kernel or the hardware acts
};
[[nodiscard]] Heat read_heat(const PlatformSources& sources);

struct SwapSpace {
  long long size_kib = 0;
  long long used_kib = 0;
};
[[nodiscard]] std::optional<SwapSpace> read_swap(const PlatformSources& sources);

}  // namespace tandem::runners
