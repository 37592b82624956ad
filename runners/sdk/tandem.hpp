// tandem.hpp: makes a C++14 program measurable by Tandem, slice by slice, and runnable on its own.
//
//   #include "tandem.hpp"
//
//   int main(int argc, char** argv) {
//     tandem::Program program;
//     program.add("sum/1000", [] {                              // runs once, when the benchmark is selected
//       std::vector<double> data(1000, 1.5);
//       return [data](std::uint64_t iterations) {               // runs for every slice
//         for (std::uint64_t i = 0; i < iterations; ++i) tandem::keep(std::accumulate(data.begin(),
//         data.end(), 0.0));
//       };
//     });
//     return program.run(argc, argv);
//   }
//
// Under Tandem (TANDEM_FD is set) the program speaks the slice protocol of PROTOCOL.md, by lines or by the
// shared page. Alone it prints a table; --list, --filter TEXT, --json and --seconds S are understood. Random
// inputs should come from tandem::seed(), which both sides of a comparison receive alike.
#ifndef TANDEM_HPP
#define TANDEM_HPP

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

/// Makes the compiler believe that `value` is looked at and may have been changed.
template <class T>
inline void keep(T&& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

/// Seed for the program's own random inputs: equal on both sides of a pair.
inline std::uint64_t seed() {
  const char* text = std::getenv("TANDEM_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
}

/// A further value of the running slice or of the process, e.g. report("peak_pool", bytes, "B"). The last one
/// counts. Names and units hold no spaces.
inline void report(const std::string& metric, double value, const std::string& unit);

/// The shared page: layout version 2, as PROTOCOL.md tells it. Both sides and the runner map the same bytes.
struct Page {
  static constexpr std::uint32_t magic_value = 0x324d4454;  // "TDM2"
  static constexpr std::uint32_t most_steps = 8192;

  std::uint32_t magic;
  std::uint32_t steps;          // how many slices there are: entries of `order`, or of each side in a duet
  std::uint64_t iterations[2];  // of every slice, by slot
  std::uint64_t filler;  // iterations at a time of a side that waits for the end of the other, in a duet
  std::uint64_t reserved[4];
  std::atomic<std::uint32_t> turn;  // the step whose turn it is; a futex
  std::uint32_t padding[15];

  /// Where a side stands in a duet; a cache line of its own.
  struct Place {
    std::atomic<std::uint32_t> arrived;  // steps it is ready for; a futex
    std::atomic<std::uint32_t> done;     // steps it has finished
    std::uint64_t arrived_ns;            // when it became ready, written before `arrived`
    std::uint64_t padding[6];
  };
  Place places[2];
  std::uint8_t order[most_steps];  // order[step]: the slot that runs this step

  struct Slice {
    std::uint64_t begin_ns;  // CLOCK_MONOTONIC
    std::uint64_t end_ns;
  };
  Slice slices[2][most_steps];  // slices[slot][step]: only the steps of that slot are filled
};

namespace detail {

inline std::uint64_t now_ns() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec);
}

inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t while_it_is) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT, while_it_is, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

/// Lets the processor rest between two looks at a word that another one will write.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

struct Reported {
  std::string metric;
  double value;
  std::string unit;
};

inline std::vector<Reported>& reported() {
  static std::vector<Reported> values;
  return values;
}

/// Reads and writes whole lines on the inherited descriptor.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}

  bool read_line(std::string& line) {
    for (;;) {
      const std::size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      char chunk[512];
      const ssize_t n = ::read(descriptor_, chunk, sizeof chunk);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      buffer_.append(chunk, static_cast<std::size_t>(n));
    }
  }

  void write_line(const std::string& line) {
    const std::string text = line + "\n";
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) std::_Exit(3);  // the runner is gone
      done += static_cast<std::size_t>(n);
    }
  }

 private:
  int descriptor_;
  std::string buffer_;
};

}  // namespace detail

inline void report(const std::string& metric, double value, const std::string& unit) {
  for (detail::Reported& known : detail::reported()) {
    if (known.metric == metric) {
      known.value = value;
      return;
    }
  }
  detail::reported().push_back({metric, value, unit});
}

/// The benchmarks of one program and the loop that answers the runner.
class Program {
 public:
  using Body = std::function<void(std::uint64_t iterations)>;
  using Prepare = std::function<Body()>;

  /// `prepare` makes the benchmark's data and returns its body. Names are unique and hold no line break.
  void add(std::string name, Prepare prepare) {
    benchmarks_.push_back({std::move(name), std::move(prepare)});
  }

  int run(int argc, char** argv) {
    try {
      const char* descriptor = std::getenv("TANDEM_FD");
      return descriptor != nullptr ? serve(std::atoi(descriptor)) : stand_alone(argc, argv);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 1;
    }
  }

 private:
  struct Benchmark {
    std::string name;
    Prepare prepare;
  };

  static std::uint64_t timed(const Body& body, std::uint64_t iterations) {
    const std::uint64_t begin = detail::now_ns();
    body(iterations);
    return std::max<std::uint64_t>(1, detail::now_ns() - begin);
  }

  int serve(int descriptor) {
    detail::Channel channel(descriptor);
    Body body;
    Page* page = nullptr;
    unsigned slot = 0;
    std::string line;
    while (channel.read_line(line)) {
      const std::size_t space = line.find(' ');
      const std::string verb = line.substr(0, space);
      const std::string rest = space == std::string::npos ? std::string() : line.substr(space + 1);
      if (verb == "hello") {
        channel.write_line(map_page(rest, page, slot) ? "hello 1 page" : "hello 1");
      } else if (verb == "list") {
        for (const Benchmark& benchmark : benchmarks_) channel.write_line("benchmark " + benchmark.name);
        channel.write_line("end");
      } else if (verb == "select") {
        body = prepared(rest);
        channel.write_line(body ? "selected" : "error no benchmark named " + rest);
      } else if (verb == "run" && body) {
        const std::uint64_t iterations = std::strtoull(rest.c_str(), nullptr, 10);
        const std::uint64_t elapsed = timed(body, iterations);
        send_reported(channel);
        channel.write_line("time " + std::to_string(iterations) + " " + std::to_string(elapsed));
      } else if ((verb == "turns" || verb == "duet") && body && page != nullptr) {
        const std::uint32_t taken = (verb == "turns" ? take_turns : play_duet)(*page, slot, body);
        send_reported(channel);
        channel.write_line("turned " + std::to_string(taken));
      } else if (verb == "quit") {
        return 0;
      } else {
        channel.write_line("error cannot do: " + line);
      }
    }
    return 0;
  }

  static void send_reported(detail::Channel& channel) {
    for (const detail::Reported& value : detail::reported()) {
      char number[64];
      std::snprintf(number, sizeof number, "%.17g", value.value);
      channel.write_line("metric " + value.metric + " " + number + " " + value.unit);
    }
    detail::reported().clear();
  }

  /// "1 page DESCRIPTOR SLOT": maps the page. Anything else: lines only.
  static bool map_page(const std::string& offer, Page*& page, unsigned& slot) {
    int version = 0;
    int descriptor = -1;
    if (std::sscanf(offer.c_str(), "%d page %d %u", &version, &descriptor, &slot) != 3 || slot > 1)
      return false;
    void* memory =
        mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (memory == MAP_FAILED) return false;
    page = static_cast<Page*>(memory);
    return page->magic == Page::magic_value;
  }

  Body prepared(const std::string& name) const {
    for (const Benchmark& benchmark : benchmarks_) {
      if (benchmark.name == name) return benchmark.prepare();
    }
    return Body();
  }

  /// Runs the steps of `slot` as the page's order says, handing over to the other side after each.
  static std::uint32_t take_turns(Page& page, unsigned slot, const Body& body) {
    const std::uint32_t steps = std::min<std::uint32_t>(page.steps, std::uint32_t{Page::most_steps});
    const std::uint64_t iterations = page.iterations[slot];
    std::uint32_t taken = 0;
    std::uint32_t step = page.turn.load(std::memory_order_acquire);
    while (step < steps) {
      if (page.order[step] != slot) {
        detail::futex_wait(page.turn, step);
        step = page.turn.load(std::memory_order_acquire);
        continue;
      }
      Page::Slice& slice = page.slices[slot][step];
      slice.begin_ns = detail::now_ns();
      body(iterations);
      slice.end_ns = detail::now_ns();
      ++taken;
      page.turn.store(++step, std::memory_order_release);
      if (step >= steps || page.order[step] != slot) detail::futex_wake(page.turn);
    }
    return taken;
  }

  /// Waits until the other side is ready for `step` as well and returns at the instant at which both begin.
  ///
  /// Each side has a processor of its own, so waiting awake disturbs nobody and starts both within a fraction
  /// of a microsecond; only a long wait is slept through.
  static void meet(Page& page, unsigned slot, std::uint32_t step) {
    constexpr std::uint64_t patience_ns = 20000000;
    constexpr std::uint64_t head_start_ns = 2000;  // for the word of the last arrival to reach the other core
    Page::Place& own = page.places[slot];
    Page::Place& other = page.places[1 - slot];
    own.arrived_ns = detail::now_ns();
    own.arrived.store(step + 1, std::memory_order_release);
    detail::futex_wake(own.arrived);
    std::uint32_t seen = other.arrived.load(std::memory_order_acquire);
    while (seen <= step) {
      if (detail::now_ns() - own.arrived_ns < patience_ns) {
        detail::relax();
      } else {
        detail::futex_wait(other.arrived, seen);
      }
      seen = other.arrived.load(std::memory_order_acquire);
    }
    const std::uint64_t begin = std::max(own.arrived_ns, other.arrived_ns) + head_start_ns;
    while (detail::now_ns() < begin) detail::relax();
  }

  /// Runs every step at the same instant as the other side; whoever is done first goes on running, so that
  /// the slower one is never alone.
  static std::uint32_t play_duet(Page& page, unsigned slot, const Body& body) {
    const std::uint32_t steps = std::min<std::uint32_t>(page.steps, std::uint32_t{Page::most_steps});
    const std::uint64_t iterations = page.iterations[slot];
    const std::uint64_t filler = std::max<std::uint64_t>(1, page.filler);
    const std::atomic<std::uint32_t>& others_done = page.places[1 - slot].done;
    for (std::uint32_t step = 0; step < steps; ++step) {
      Page::Slice& slice = page.slices[slot][step];
      meet(page, slot, step);
      slice.begin_ns = detail::now_ns();
      body(iterations);
      slice.end_ns = detail::now_ns();
      page.places[slot].done.store(step + 1, std::memory_order_release);
      while (others_done.load(std::memory_order_acquire) <= step) body(filler);
    }
    return steps;
  }

  struct Row {
    std::string name;
    std::uint64_t iterations;
    double median_ns;
    double low_ns;
    double high_ns;
  };

  int stand_alone(int argc, char** argv) const {
    std::string filter;
    double seconds = 0.5;
    bool list = false;
    bool json = false;
    for (int i = 1; i < argc; ++i) {
      const std::string flag = argv[i];
      if (flag == "--list") {
        list = true;
      } else if (flag == "--json") {
        json = true;
      } else if (flag == "--filter" && i + 1 < argc) {
        filter = argv[++i];
      } else if (flag == "--seconds" && i + 1 < argc) {
        seconds = std::max(0.001, std::atof(argv[++i]));
      } else {
        const bool help = flag == "--help" || flag == "-h";
        std::fprintf(help ? stdout : stderr, "usage: %s [--list] [--filter TEXT] [--json] [--seconds S]\n",
                     argv[0]);
        return help ? 0 : 2;
      }
    }
    std::vector<Row> rows;
    for (const Benchmark& benchmark : benchmarks_) {
      if (benchmark.name.find(filter) == std::string::npos) continue;
      if (list) {
        std::printf("%s\n", benchmark.name.c_str());
        continue;
      }
      rows.push_back(measure(benchmark, seconds));
      if (!json) print_row(rows.back(), rows.size() == 1);
    }
    if (json) print_json(rows);
    return 0;
  }

  static Row measure(const Benchmark& benchmark, double seconds) {
    const Body body = benchmark.prepare();
    std::uint64_t iterations = 1;
    while (timed(body, iterations) < 1000000 && iterations < (std::uint64_t(1) << 40)) iterations *= 2;
    std::vector<double> per_iteration;
    const std::uint64_t end = detail::now_ns() + static_cast<std::uint64_t>(seconds * 1e9);
    while (per_iteration.size() < 3 || detail::now_ns() < end) {
      per_iteration.push_back(static_cast<double>(timed(body, iterations)) / static_cast<double>(iterations));
    }
    std::sort(per_iteration.begin(), per_iteration.end());
    const std::size_t n = per_iteration.size();
    return {benchmark.name, iterations * n, (per_iteration[(n - 1) / 2] + per_iteration[n / 2]) / 2,
            per_iteration[n / 10], per_iteration[n - 1 - n / 10]};
  }

  static void print_row(const Row& row, bool first) {
    if (first)
      std::printf("%-32s %14s %14s %14s %12s\n", "benchmark", "median ns", "p10 ns", "p90 ns", "iterations");
    std::printf("%-32s %14.1f %14.1f %14.1f %12llu\n", row.name.c_str(), row.median_ns, row.low_ns,
                row.high_ns, static_cast<unsigned long long>(row.iterations));
    std::fflush(stdout);
  }

  static void print_json(const std::vector<Row>& rows) {
    std::printf("[");
    for (const Row& row : rows) {
      std::printf("%s\n  {\"benchmark\": %s, \"metric\": \"time\", \"unit\": \"ns\", ",
                  &row == rows.data() ? "" : ",", detail::json_string(row.name).c_str());
      std::printf("\"median\": %.3f, \"p10\": %.3f, \"p90\": %.3f, \"iterations\": %llu}", row.median_ns,
                  row.low_ns, row.high_ns, static_cast<unsigned long long>(row.iterations));
    }
    std::printf("\n]\n");
  }

  std::vector<Benchmark> benchmarks_;
};

}  // namespace tandem

#endif  // TANDEM_HPP
