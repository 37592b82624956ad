#include "specs/nearest.hpp"

#include <algorithm>

namespace tandem::specs {
namespace {

constexpr std::size_t longest_quoted = 60;
constexpr std::size_t longest_compared = 64;  // the distance costs the product of the lengths

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> previous(right.size() + 1);
  std::vector<std::size_t> current(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = previous[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        current[j] = std::min(current[j], before[j - 2] + 1);
      }
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[right.size()];
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.size() > longest_compared) return std::nullopt;
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (!best || distance < best_distance) {
      best = std::string(candidate);
      best_distance = distance;
    }
  }
  // Two slips, or a third of a long word; in a word of three letters two slips would match almost anything.
  const std::size_t allowed = word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3);
  if (best && best_distance > allowed) best.reset();
  return best;
}

std::string list_in_quotes(const std::vector<std::string_view>& words) {
  std::string result;
  for (const std::string_view word : words) {
    if (!result.empty()) result += ", ";
    result += in_quotes(word);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  const auto shown = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c; };
  std::size_t length = text.size();
  if (length > longest_quoted) {
    length = longest_quoted;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::string result = "\"";
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), std::back_inserter(result),
                 shown);
  return result + (length < text.size() ? "…\"" : "\"");
}

}  // namespace tandem::specs
