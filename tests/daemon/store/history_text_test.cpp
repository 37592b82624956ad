#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <random>

#include "daemon/store/database.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::store {
namespace {

TEST(HistoryText, ReadsBackEveryBitOfEveryLaunch) {
  analysis::ScreenHistory history;
  history.settings = {0.1 + 0.2, std::numeric_limits<double>::denorm_min(), std::nullopt, 66};
  std::mt19937_64 random(7);
  while (history.launches.size() < 2000) {
    const auto median = std::bit_cast<double>(random());
    const auto total = std::bit_cast<double>(random());
    // A screen holds finite numbers only.
    if (median - median == 0 && total - total == 0) history.launches.push_back({{median, total}});
    if (random() % 16 == 0) history.launches.emplace_back();
  }
  history.launches.push_back({{-0.0, 0.0}});

  const analysis::ScreenHistory found = history_from_text(history_text(history));
  EXPECT_EQ(found.settings.margin, history.settings.margin);
  EXPECT_EQ(found.settings.prior_sigma, history.settings.prior_sigma);
  EXPECT_EQ(found.settings.prior_sigma_total, std::nullopt);
  EXPECT_EQ(found.settings.max_launches, 66u);
  ASSERT_EQ(found.launches.size(), history.launches.size());
  for (std::size_t i = 0; i < found.launches.size(); ++i) {
    ASSERT_EQ(found.launches[i].has_value(), history.launches[i].has_value()) << i;
    if (!found.launches[i]) continue;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found.launches[i]->median),
              std::bit_cast<std::uint64_t>(history.launches[i]->median));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found.launches[i]->total),
              std::bit_cast<std::uint64_t>(history.launches[i]->total));
  }
}

TEST(HistoryText, LetsAScreenGoOnAsIfItHadNotStopped) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0.004, 0.006);
  analysis::Screen whole{analysis::ScreenSettings{}};
  analysis::Screen first{analysis::ScreenSettings{}};
  std::vector<analysis::LaunchStatistics> launches;
  for (int i = 0; i < 12; ++i) launches.push_back({noise(random), noise(random)});
  for (std::size_t i = 0; i < launches.size() && !whole.outcome(); ++i) {
    whole.advance(launches[i]);
    if (i < 4) first.advance(launches[i]);
  }
  analysis::Screen second{history_from_text(history_text(first.history()))};
  for (std::size_t i = 4; i < launches.size() && !second.outcome(); ++i) second.advance(launches[i]);
  EXPECT_GT(whole.history().launches.size(), 4u);
  EXPECT_EQ(second.history().launches, whole.history().launches);
  EXPECT_EQ(second.verdict().median.slower, whole.verdict().median.slower);
  EXPECT_EQ(second.verdict().total.not_faster, whole.verdict().total.not_faster);
}

TEST(HistoryText, RefusesDamagedText) {
  const std::string good = history_text({{}, {{{0.5, 0.25}}}});
  EXPECT_NO_THROW(static_cast<void>(history_from_text(good)));
  for (std::size_t length = 0; length < good.size(); ++length) {
    // Cut between two lines it is a shorter history.
    if (length > 0 && good[length - 1] == '\n') continue;
    EXPECT_THROW(static_cast<void>(history_from_text(good.substr(0, length))), Error) << length;
  }
  EXPECT_THROW(static_cast<void>(history_from_text(good + "0.5\n")), Error);
  EXPECT_THROW(static_cast<void>(history_from_text(good + "0.5 0.5 0.5\n")), Error);
  EXPECT_THROW(static_cast<void>(history_from_text(good + "x y\n")), Error);
}

}  // namespace
}  // namespace tandem::daemon::store
