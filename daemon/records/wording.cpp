#include "daemon/records/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tandem::daemon::report {
namespace {

bool is_plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || (c >= '0' && c <= '9') || std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::string percentage(double share) {
  const double value = 100 * std::abs(share);
  // 0.995 would be shown as 1.00 beside a 1.0 of the next larger one.
  return fmt::format("{:.{}f} %", value, value < 0.995 ? 2 : 1);
}

std::string ratio_phrase(const analysis::RatioInterval& ratio) {
  if (ratio.low <= 0 && !std::isfinite(ratio.high)) {
    return fmt::format("ratio {:.4f}, too few launches for an interval", ratio.estimate);
  }
  const std::string high = std::isfinite(ratio.high) ? fmt::format("{:.4f}", ratio.high) : "any";
  return fmt::format("ratio {:.4f}, {:.4g} % interval {:.4f} to {}", ratio.estimate, 100 * ratio.level,
                     ratio.low, high);
}

std::string series_name(const std::string& benchmark, const specs::Metric& metric) {
  if (metric.name == specs::Metric{}.name || benchmark.ends_with(metric.name)) return benchmark;
  return fmt::format("{} {}", benchmark, metric.name);
}

bool is_time(const specs::Metric& metric) {
  static constexpr std::array units = {"ns", "us", "µs", "ms", "s"};
  return metric.direction == specs::Direction::lower_is_better &&
         std::find(units.begin(), units.end(), metric.unit) != units.end();
}

std::string change_phrase(const specs::Metric& metric, double ratio) {
  const std::string size = percentage(ratio - 1);
  if (is_time(metric)) return fmt::format("{} {}", size, ratio >= 1 ? "slower" : "faster");
  return fmt::format("{} {} {}", size, ratio >= 1 ? "higher" : "lower", metric.name);
}

double reported_ratio(const Record& record) {
  return is_step(record.kind) ? record.ratio.estimate : record.screen.ratio.estimate;
}

std::string state_words(const Record& record) {
  const std::string words = record.state == RecordState::accepted      ? "dismissed: accepted"
                            : record.state == RecordState::false_alarm ? "dismissed: false alarm"
                                                                       : name_of(record.state);
  if (!record.remaining || !is_alive(record.state)) return words;
  const double left = *record.remaining - 1;
  return fmt::format("{}, {}{} left", words, left < 0 ? "-" : "+", percentage(left));
}

std::string fixing_commit(const Record& record) {
  if (record.state != RecordState::fixed && record.state != RecordState::partly_fixed) return {};
  const auto last = std::find_if(record.life.rbegin(), record.life.rend(),
                                 [&](const LifeEvent& event) { return event.state == record.state; });
  return last == record.life.rend() ? std::string() : last->commit;
}

std::string range_begin(const Record& record) {
  return record.confirmation.control.empty() ? record.control.id : record.confirmation.control;
}

std::string short_commit(std::string_view commit) {
  return std::string(commit.substr(0, 8));
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace tandem::daemon::report
