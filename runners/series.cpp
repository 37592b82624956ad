#include "runners/series.hpp"

namespace tandem::runners {

bool SeriesCollector::add(const std::string& benchmark, const specs::Metric& metric, double value) {
  if (values_ == most_values) return false;
  const auto [place, added] = places_.try_emplace({benchmark, metric.name}, all_.size());
  if (added) {
    if (all_.size() == most_series) return false;
    all_.push_back({benchmark, metric, {}});
  }
  all_[place->second].values.push_back(value);
  ++values_;
  return true;
}

std::string printable(std::string_view text, std::size_t most) {
  std::size_t end = std::min(text.size(), most);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (end > 0 && end < text.size() && continues(end)) --end;
  std::string shown;
  for (const char c : text.substr(0, end)) {
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '.' : c;
  }
  return end < text.size() ? shown + "…" : shown;
}

}  // namespace tandem::runners
