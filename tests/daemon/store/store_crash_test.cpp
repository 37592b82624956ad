#include <fcntl.h>
#include <unistd.h>

#include <random>

#include "daemon/store/store_fixture.hpp"

namespace tandem::daemon::store {
namespace {

using tests::Child;
using tests::sample_key;
using tests::sample_step;
using tests::step_commit;
using tests::step_id;

using StoreCrash = tests::StoreTest;

/// Writes steps for ever, from the given one on, and says after each that it was saved.
void write_steps(const std::filesystem::path& file, int first, int saved) {
  Store store(file, Store::Mode::write);
  for (int i = first;; ++i) {
    store.save_step(sample_key, sample_step(i));
    if (::write(saved, &i, sizeof i) != sizeof i) return;
  }
}

/// The number of steps in the store, after checking that each is wholly there: verdict and record.
int whole_steps(const Store& store) {
  const auto verdicts = store.newest_verdicts(sample_key, 100'000);
  const auto records = store.records({});
  EXPECT_EQ(records.size(), verdicts.size());
  const int count = static_cast<int>(verdicts.size());
  for (int i = 1; i <= count; ++i) {
    EXPECT_EQ(verdicts[static_cast<std::size_t>(count - i)].commit, step_commit(i));
    EXPECT_EQ(records[static_cast<std::size_t>(i - 1)].id, step_id(i));
  }
  return count;
}

TEST_F(StoreCrash, AKilledWriterLeavesEveryStepWhollyThereOrWhollyAbsent) {
  std::mt19937 random(3);
  int steps = 0;
  for (int round = 0; round < 30; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    int saved = steps;
    {
      Child child([&] { write_steps(file(), steps + 1, ends[1]); });
      ::close(ends[1]);
      // In some rounds it dies while it opens the file, in the others after a few steps, somewhere within
      // one.
      const int wanted = steps + static_cast<int>(random() % 5);
      while (saved < wanted) ASSERT_EQ(::read(ends[0], &saved, sizeof saved), ssize_t{sizeof saved});
      ::usleep(random() % 3000);
      child.kill();
    }
    for (int last = 0; ::read(ends[0], &last, sizeof last) == ssize_t{sizeof last};) saved = last;
    ::close(ends[0]);

    const Store store = writer();
    ASSERT_EQ(tests::ask_sqlite(file(), "PRAGMA integrity_check"), "ok") << "round " << round;
    steps = whole_steps(store);
    // What was acknowledged is there; one step more may have been saved just before the end.
    ASSERT_GE(steps, saved);
    ASSERT_LE(steps, saved + 1);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(steps, 30);
}

TEST_F(StoreCrash, AStepThatFailsHalfWayLeavesNothing) {
  Store store = writer();
  store.save_step(sample_key, sample_step(1));
  tests::tell_sqlite(file(), "CREATE TRIGGER refuse BEFORE INSERT ON record WHEN new.id = '" + step_id(3) +
                                 "' BEGIN SELECT RAISE(ABORT, 'refused'); END");
  Store::Step step = sample_step(2);
  step.records.push_back(sample_step(3).records.front());
  const std::string message = tests::thrown_message([&] { store.save_step(sample_key, step); });
  EXPECT_NE(message.find("refused"), std::string::npos) << message;
  EXPECT_NE(message.find(file().string()), std::string::npos) << message;
  EXPECT_EQ(whole_steps(store), 1);
  store.save_step(sample_key, sample_step(2));
  EXPECT_EQ(whole_steps(store), 2);
}

}  // namespace
}  // namespace tandem::daemon::store
