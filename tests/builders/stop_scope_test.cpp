#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "builders/cache/files.hpp"
#include "builders/identity/identity.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::builders {
namespace {

/// Takes no room on the disk; to read it all takes longer than a stop may.
fs::path large_file(const fs::path& folder, const std::string& name) {
  fs::create_directories(folder);
  std::ofstream(folder / name) << "x";
  fs::resize_file(folder / name, std::uintmax_t{1} << 36);
  return folder / name;
}

/// The stop comes from another thread while the work goes on, or just before it.
template <class Work>
void expect_given_up(const Work& work) {
  std::stop_source source;
  const tandem::StopScope scope(source.get_token());
  const std::jthread stopper([&] { source.request_stop(); });
  EXPECT_THROW(work(), tandem::Stopped);
}

TEST(StopScope, EndsTheHashingOfALargeFile) {
  const TemporaryDirectory folder;
  const fs::path file = large_file(folder.path(), "program");
  expect_given_up([&] { static_cast<void>(sha256_of_file(file)); });
}

TEST(StopScope, EndsTheComparisonOfLargeFiles) {
  const TemporaryDirectory folder;
  const fs::path one = large_file(folder.path(), "one");
  const fs::path other = large_file(folder.path(), "other");
  expect_given_up([&] { static_cast<void>(identical_files(one, other)); });
}

TEST(StopScope, EndsTheCopyingOfALargeFileIntoTheCache) {
  const TemporaryDirectory folder;
  large_file(folder.path() / "from", "program");
  expect_given_up([&] { copy_durably(folder.path() / "from", folder.path() / "to"); });
}

TEST(StopScope, EndsTheCopyingOfALargeFileForALinker) {
  const TemporaryDirectory folder;
  large_file(folder.path() / "from", "program");
  expect_given_up([&] { copy_for_now(folder.path() / "from", folder.path() / "to"); });
}

TEST(StopScope, EndsWithItsBlock) {
  std::stop_source source;
  source.request_stop();
  {
    const tandem::StopScope scope(source.get_token());
    EXPECT_THROW(tandem::StopScope::give_up_if_stopped(), tandem::Stopped);
  }
  EXPECT_NO_THROW(tandem::StopScope::give_up_if_stopped());
  EXPECT_EQ(sha256_of("").size(), 64U);
}

}  // namespace
}  // namespace tandem::builders
