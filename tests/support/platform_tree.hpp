#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "runners/host/sources.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::tests {

/// A made-up /proc and /sys of a host in a directory of its own.
class PlatformTree {
 public:
  [[nodiscard]] runners::PlatformSources sources() const { return {root_.path()}; }
  [[nodiscard]] const std::filesystem::path& root() const { return root_.path(); }

  PlatformTree& write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_.path() / file).parent_path());
    std::ofstream(root_.path() / file) << text << '\n';
    return *this;
  }

  /// The file is one of this machine's own kernel instead, with its ways of taking and refusing values.
  PlatformTree& link(const std::string& file, const std::string& target) {
    std::filesystem::create_directories((root_.path() / file).parent_path());
    std::filesystem::remove(root_.path() / file);
    std::filesystem::create_symlink(target, root_.path() / file);
    return *this;
  }

  [[nodiscard]] std::string read(const std::string& file) const {
    return runners::first_line(sources(), file).value_or("");
  }

  /// A folder of each of the processors 0 to count - 1.
  PlatformTree& each_cpu(int count, const std::string& file, const std::string& text) {
    for (int cpu = 0; cpu < count; ++cpu) {
      write("sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/" + file, text);
    }
    return *this;
  }

 private:
  TemporaryDirectory root_;
};

/// Eight cores, everything as it should be; an AMD server.
inline void make_tuned_server(PlatformTree& tree) {
  tree.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: AMD EPYC 9354P\nmicrocode\t: 0xa101148\n"
             "flags\t\t: fpu sse4_2 avx avx2 fma avx512f avx512cd avx512bw avx512dq avx512vl avx512_vnni\n\n"
             "processor\t: 1\nmodel name\t: another\n")
      .write("proc/sys/kernel/osrelease", "6.1.0-18-amd64")
      .write("proc/sys/kernel/randomize_va_space", "2")
      .write("proc/sys/kernel/perf_event_paranoid", "1")
      .write("proc/sys/kernel/random/boot_id", "11111111-2222-3333-4444-555555555555")
      .write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority")
      .write("proc/loadavg", "0.02 0.05 0.01 1/200 4242")
      .write("proc/stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 2 3")
      .write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")
      .write("sys/devices/system/cpu/online", "0-7")
      .write("sys/devices/system/cpu/isolated", "4-7")
      .write("sys/devices/system/cpu/smt/active", "0")
      .write("sys/devices/system/cpu/smt/control", "off")
      .write("sys/devices/system/cpu/cpufreq/boost", "0")
      .each_cpu(8, "cpufreq/scaling_governor", "performance")
      .each_cpu(8, "cpufreq/scaling_driver", "acpi-cpufreq")
      .each_cpu(8, "cpufreq/scaling_available_governors", "performance powersave schedutil")
      .each_cpu(8, "cpufreq/scaling_cur_freq", "3250000")
      .each_cpu(8, "cpufreq/scaling_min_freq", "1500000")
      .each_cpu(8, "cpufreq/scaling_max_freq", "3250000")
      .each_cpu(8, "thermal_throttle/core_throttle_count", "0")
      .write("sys/class/thermal/thermal_zone0/temp", "41000")
      .write("sys/class/thermal/thermal_zone0/trip_point_0_type", "critical")
      .write("sys/class/thermal/thermal_zone0/trip_point_0_temp", "95000");
}

/// Four cores with siblings, saving power and boosting; an Intel laptop.
inline void make_laptop(PlatformTree& tree) {
  tree.write("proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-1185G7\nmicrocode\t: 0xb4\n"
             "flags\t\t: fpu sse4_2 avx avx2 fma avx512f avx512_vpopcntdq\n\n")
      .write("proc/sys/kernel/osrelease", "6.1.0-18-amd64")
      .write("proc/sys/kernel/randomize_va_space", "2")
      .write("proc/sys/kernel/perf_event_paranoid", "3")
      .write("proc/sys/kernel/random/boot_id", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee")
      .write("proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-1 partition\t8388604\t204800\t-2")
      .write("proc/loadavg", "3.10 2.00 1.00 5/900 4242")
      .write("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never")
      .write("sys/devices/system/cpu/online", "0-7")
      .write("sys/devices/system/cpu/isolated", "")
      .write("sys/devices/system/cpu/smt/active", "1")
      .write("sys/devices/system/cpu/smt/control", "on")
      .write("sys/devices/system/cpu/intel_pstate/no_turbo", "0")
      .each_cpu(8, "cpufreq/scaling_governor", "powersave")
      .each_cpu(8, "cpufreq/scaling_driver", "intel_pstate")
      .each_cpu(8, "cpufreq/scaling_available_governors", "performance powersave")
      .each_cpu(8, "cpufreq/scaling_cur_freq", "2800000")
      .each_cpu(8, "cpufreq/scaling_min_freq", "400000")
      .each_cpu(8, "cpufreq/scaling_max_freq", "4800000")
      .each_cpu(8, "thermal_throttle/core_throttle_count", "17")
      .write("sys/class/thermal/thermal_zone0/temp", "93000")
      .write("sys/class/thermal/thermal_zone0/trip_point_0_type", "passive")
      .write("sys/class/thermal/thermal_zone0/trip_point_0_temp", "97000");
}

/// A 64-core Arm server, whose kernel tells other things under other names.
inline void make_arm_host(PlatformTree& tree) {
  tree.write("proc/cpuinfo",
             "processor\t: 0\nBogoMIPS\t: 50.00\n"
             "Features\t: fp asimd evtstrm aes asimddp sve sve2 i8mm bf16\n"
             "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n\n")
      .write("proc/sys/kernel/osrelease", "6.1.0-18-arm64")
      .write("proc/sys/kernel/randomize_va_space", "2")
      .write("proc/sys/kernel/perf_event_paranoid", "2")
      .write("proc/loadavg", "0.50 0.40 0.30 1/200 4242")
      .write("sys/devices/system/cpu/online", "0-63")
      .write("sys/devices/system/cpu/smt/active", "0")
      .write("sys/devices/system/cpu/smt/control", "notsupported")
      .write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
}

}  // namespace tandem::tests
