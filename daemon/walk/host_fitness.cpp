#include "daemon/walk/host_fitness.hpp"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

#include "analysis/calibration.hpp"

namespace tandem::daemon {
namespace {

using analysis::Calibration;

constexpr const char* stored_as = "quarantine";

}  // namespace

std::vector<Quarantined> quarantined(const store::Store& store) {
  std::vector<Quarantined> entries;
  std::istringstream lines(store.environment(stored_as).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream parts(line);
    Quarantined entry;
    std::string at;
    std::getline(parts, at, '\t');
    std::getline(parts, entry.key.watch, '\t');
    std::getline(parts, entry.key.platform, '\t');
    std::getline(parts, entry.benchmark);
    const auto read = std::from_chars(at.data(), at.data() + at.size(), entry.at);
    if (read.ec == std::errc() && !entry.benchmark.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

void set_quarantined(store::Store& store, const std::vector<Quarantined>& entries) {
  std::string text;
  for (const Quarantined& one : entries) {
    text += fmt::format("{}\t{}\t{}\t{}\n", one.at, one.key.watch, one.key.platform, one.benchmark);
  }
  store.set_environment(stored_as, text);
}

bool is_over(const Quarantined& entry, std::int64_t now) {
  return now - entry.at > quarantine_seconds;
}

std::string quarantine(const store::Store& store, std::int64_t now) {
  auto entries = quarantined(store);
  std::erase_if(entries, [&](const Quarantined& one) { return is_over(one, now); });
  if (entries.empty()) return {};
  const Quarantined& first = entries.front();
  std::string sentence = fmt::format("{} of {} on {} differs from itself in trials of one commit",
                                     first.benchmark, first.key.watch, first.key.platform);
  if (entries.size() > 1) sentence += fmt::format(", and so do {} other benchmarks", entries.size() - 1);
  return sentence;
}

std::string host_unfit(const store::Store& store, const std::string& host, std::int64_t now) {
  std::vector<Calibration> all;
  for (auto& stored : store.calibrations()) {
    // What a person tries by hand says nothing about the benchmarks that are watched.
    if (stored.key.watch == calibrated_by_hand) continue;
    if (host.empty() || stored.calibration.host == host) all.push_back(std::move(stored.calibration));
  }
  const std::string unfit = analysis::host_noise(all).unfit;
  return unfit.empty() ? quarantine(store, now) : unfit;
}

}  // namespace tandem::daemon
