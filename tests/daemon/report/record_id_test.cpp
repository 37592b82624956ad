#include <gtest/gtest.h>

#include "daemon/records/record.hpp"

namespace tandem::daemon {
namespace {

TEST(RecordId, IsThePrefixOfTheHashOfItsFiveParts) {
  // printf 'pebble\nlinux\nsoftmax\ntime\nabc\n' | sha256sum
  EXPECT_EQ(record_id({"pebble", "linux"}, "softmax", "time", "abc"), "969f90c03da77acb");
}

TEST(RecordId, DiffersWhenAnyPartDiffersOrMoves) {
  const std::string id = record_id({"w", "p"}, "b", "m", "c");
  EXPECT_EQ(record_id({"w", "p"}, "b", "m", "c"), id);
  EXPECT_NE(record_id({"x", "p"}, "b", "m", "c"), id);
  EXPECT_NE(record_id({"w", "x"}, "b", "m", "c"), id);
  EXPECT_NE(record_id({"w", "p"}, "x", "m", "c"), id);
  EXPECT_NE(record_id({"w", "p"}, "b", "x", "c"), id);
  EXPECT_NE(record_id({"w", "p"}, "b", "m", "x"), id);
  EXPECT_NE(record_id({"wp", ""}, "b", "m", "c"), id);
}

}  // namespace
}  // namespace tandem::daemon
