#include "daemon/store/history_text.hpp"

#include <array>
#include <charconv>

#include "specs/error.hpp"

namespace tandem::daemon::store {
namespace {

constexpr std::string_view none = "-";

template <class Number>
std::string written(Number value) {
  std::array<char, 40> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  if (error != std::errc{}) throw Error("a number of a screen's history cannot be written");
  return {buffer.data(), end};
}

std::string_view until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) throw Error("a screen's history ends too early");
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(end + 1);
  return piece;
}

template <class Number>
Number number(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    throw Error("a screen's history holds \"" + std::string(word.substr(0, 40)) +
                "\" where a number belongs");
  }
  return value;
}

}  // namespace

std::string history_text(const analysis::ScreenHistory& history) {
  const analysis::ScreenSettings& settings = history.settings;
  std::string text = written(settings.margin) + " " + written(settings.prior_sigma) + " ";
  text += settings.prior_sigma_total ? written(*settings.prior_sigma_total) : std::string(none);
  text += " " + written(settings.max_launches) + "\n";
  for (const auto& launch : history.launches) {
    text += launch ? written(launch->median) + " " + written(launch->total) : std::string(none);
    text += "\n";
  }
  return text;
}

analysis::ScreenHistory history_from_text(std::string_view text) {
  analysis::ScreenHistory history;
  history.settings.margin = number<double>(until(text, ' '));
  history.settings.prior_sigma = number<double>(until(text, ' '));
  if (const auto word = until(text, ' '); word != none)
    history.settings.prior_sigma_total = number<double>(word);
  history.settings.max_launches = number<std::size_t>(until(text, '\n'));
  while (!text.empty()) {
    std::string_view line = until(text, '\n');
    if (line == none) {
      history.launches.emplace_back();
      continue;
    }
    const double median = number<double>(until(line, ' '));
    history.launches.push_back(analysis::LaunchStatistics{median, number<double>(line)});
  }
  return history;
}

}  // namespace tandem::daemon::store
