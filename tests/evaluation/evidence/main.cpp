// The evidence: does one part of the evaluation, or what is still to be done of it, and writes its page.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#include "evaluation/evidence/part.hpp"
#include "evaluation/evidence/recorded/launches.hpp"
#include "evaluation/evidence/results/journal.hpp"
#include "evaluation/evidence/results/result.hpp"
#include "evaluation/pairing/pairing.hpp"
#include "runners/host/machine_facts.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "support/paths.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: tandem_evidence PART BUILD_DIRECTORY OUT_DIRECTORY [--brief] [--minutes N] [--seed N]\n"
    "       tandem_evidence page DIRECTORY_OF_HOSTS   (the page of each host and the one of all)\n"
    "       tandem_evidence goals DIRECTORY_OF_HOSTS\n"
    "       tandem_evidence samples TRACE.csv...\n"
    "       tandem_evidence pairing COMMAND...   (what pairing.sh measures with)\n"
    "       tandem_evidence looks BUILD_DIRECTORY\n"
    "PART is replay, live, layouts, power, rivals, ablations, spread, culprit or cost. It goes on where it "
    "was interrupted.\n";

const std::map<std::string, Part>& parts() {
  static const std::map<std::string, Part> all = {
      {"replay", replay},       {"live", live},       {"layouts", layouts},
      {"spread", spread},       {"power", power},     {"rivals", rivals},
      {"ablations", ablations}, {"culprit", culprit}, {"cost", cost}};
  return all;
}

/// One line that is written over on a terminal; elsewhere a line every half minute.
class Progress {
 public:
  explicit Progress(std::string part) : part_(std::move(part)) {}
  ~Progress() {
    if (terminal_ && written_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void operator()(const std::string& what, std::size_t done, std::size_t all) {
    const auto now = Clock::now();
    const auto pause = terminal_ ? std::chrono::milliseconds{200} : std::chrono::milliseconds{30000};
    if (written_ && now - last_ < pause) return;
    if (!written_ || all != all_) {
      begin_ = now;
      first_ = done;
      all_ = all;
    }
    written_ = true;
    last_ = now;
    std::string left;
    if (done > first_ && all > done) {
      const double seconds = std::chrono::duration<double>(now - begin_).count() /
                             static_cast<double>(done - first_) * static_cast<double>(all - done);
      left = fmt::format(", {:.0f} min left", seconds / 60);
    }
    fmt::print(stderr, "{}{}: {}, {} of {}{}{}", terminal_ ? "\r\033[K" : "", part_, what, done, all, left,
               terminal_ ? "" : "\n");
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string part_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool written_ = false;
  Clock::time_point begin_{};
  Clock::time_point last_{};
  std::size_t first_ = 0;
  std::size_t all_ = 0;
};

std::map<std::string, std::string> host_facts() {
  const runners::MachineFacts facts = runners::read_machine_facts();
  const auto share = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f} %", 100 * *value) : std::string("unavailable");
  };
  return {{"cpu", facts.cpu_model.value_or("unavailable")},
          {"processors", std::to_string(facts.processors)},
          {"nice", std::to_string(getpriority(PRIO_PROCESS, 0))},
          {"topology", facts.topology.value_or("unavailable")},
          {"kernel", facts.kernel},
          {"compiler", __VERSION__},
          {"governor", facts.governor.value_or("unavailable")},
          {"load", facts.load ? fmt::format("{:.2f}", *facts.load) : "unavailable"},
          {"stolen since boot", share(facts.steal_share)}};
}

/// Command, seed, host and time, as far as the part has not said them itself.
void complete(PartResult& result, const PartSettings& settings) {
  if (result.command.empty()) result.command = "./dev evaluate " + result.part;
  result.seed = settings.seed;
  result.host = host_facts();
  result.at = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

template <class Number>
Number number_in(const std::string& option, const std::string& text) {
  Number number = 0;
  if (!read_number(text, number) || !(number >= 0)) {
    throw InputError(fmt::format("{} is \"{}\" and must be a number from 0", option, text));
  }
  return number;
}

int run_part(const std::string& name, const std::vector<std::string>& words) {
  PartSettings settings;
  settings.build = fs::absolute(words[0]);
  settings.out = fs::absolute(words[1]);
  settings.source = ::tandem::tests::paths::source;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == "--brief") {
      settings.length = PartSettings::Length::brief;
    } else if (words[i] == "--minutes" && i + 1 < words.size()) {
      settings.minutes = number_in<double>(words[i], words[i + 1]);
      ++i;
    } else if (words[i] == "--seed" && i + 1 < words.size()) {
      settings.seed = number_in<std::uint64_t>(words[i], words[i + 1]);
      ++i;
    } else {
      throw InputError(fmt::format("\"{}\" is no option. {}", words[i], usage));
    }
  }
  fs::create_directories(settings.out);
  PartResult result;
  {
    Progress progress(name);
    settings.show = [&](const std::string& what, std::size_t done, std::size_t all) {
      progress(what, done, all);
    };
    result = parts().at(name)(settings);
  }
  complete(result, settings);
  write_result(settings.out, result);
  write_by_rename(settings.out / "README.md", page_of(read_results(settings.out)));
  fmt::print("{}", page_of(std::span(&result, 1)));
  return 0;
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 3 && parts().count(words[0]) == 1) {
    return run_part(words[0], {words.begin() + 1, words.end()});
  }
  if (words.size() == 2 && words[0] == "page") {
    const auto hosts = read_hosts(words[1]);
    const fs::path top = words[1];
    for (const HostResults& host : hosts)
      write_by_rename(top / host.folder / "README.md", page_of(host.results));
    write_by_rename(top / "README.md", overview_of(hosts));
    return 0;
  }
  if (words.size() == 2 && words[0] == "goals") {
    fmt::print("{}", goals_of(read_hosts(words[1])));
    return 0;
  }
  if (words.size() >= 2 && words[0] == "samples") {
    for (std::size_t i = 1; i < words.size(); ++i) {
      for (const Sample& sample : samples_of_trace(words[i])) fmt::print("{}\n", line_of(sample));
    }
    return 0;
  }
  if (!words.empty() && words[0] == "pairing") return pairing_command({words.begin() + 1, words.end()});
  if (words.size() == 2 && words[0] == "looks") {
    print_looks(words[1]);
    return 0;
  }
  fmt::print(stderr, "{}", usage);
  return 2;
}

}  // namespace
}  // namespace tandem::evaluation

int main(int argc, char** argv) {
  try {
    return tandem::evaluation::run({argv + 1, argv + argc});
  } catch (const tandem::InputError& error) {
    fmt::print(stderr, "tandem_evidence: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tandem_evidence: {}\n", error.what());
    return 4;
  }
}
