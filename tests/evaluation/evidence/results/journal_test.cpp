#include "evaluation/evidence/results/journal.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::evaluation {
namespace {

using Rows = std::vector<Journal::Fields>;

std::string text_in(const std::filesystem::path& path) {
  return read_small_file(path, std::uintmax_t{1} << 28).value();
}

TEST(Journal, GoesOnBehindWhatIsThere) {
  const tests::TemporaryDirectory directory;
  const auto path = directory.path() / "journals" / "live.tsv";
  {
    Journal journal(path);
    EXPECT_TRUE(journal.rows().empty());
    journal.add({"sort", "alternate", "1"});
    journal.add({"", "one empty field on each side", ""});
    EXPECT_EQ(journal.rows().size(), 2u);
  }
  Journal journal(path);
  journal.add({"hash"});
  const Rows rows = {{"sort", "alternate", "1"}, {"", "one empty field on each side", ""}, {"hash"}};
  EXPECT_EQ(journal.rows(), rows);
  EXPECT_EQ(Journal(path).rows(), rows);
}

TEST(Journal, HandsEveryLineToTheSystemAtOnce) {
  const tests::TemporaryDirectory directory;
  Journal journal(directory.path() / "live.tsv");
  journal.add({"a", "b"});
  EXPECT_EQ(text_in(directory.path() / "live.tsv"), "a\tb\n");
}

TEST(Journal, CutsOffALastLineWithoutAnEnd) {
  const tests::TemporaryDirectory directory;
  const auto path = directory.path() / "live.tsv";
  std::ofstream(path) << "a\tb\nc\thal";
  Journal journal(path);
  EXPECT_EQ(journal.rows(), (Rows{{"a", "b"}}));
  journal.add({"c", "half"});
  EXPECT_EQ(text_in(path), "a\tb\nc\thalf\n");
}

TEST(Journal, RefusesWhatCouldNotBeReadBack) {
  const tests::TemporaryDirectory directory;
  const auto path = directory.path() / "live.tsv";
  Journal journal(path);
  EXPECT_THROW(journal.add({"a\tb"}), Error);
  EXPECT_THROW(journal.add({"a", "b\n"}), Error);
  EXPECT_THROW(journal.add({}), Error);
  EXPECT_TRUE(journal.rows().empty());
  EXPECT_EQ(text_in(path), "");
}

TEST(Journal, SaysWhenItCannotBeWritten) {
  const tests::TemporaryDirectory directory;
  EXPECT_THROW(Journal{directory.path()}, std::system_error);
}

}  // namespace
}  // namespace tandem::evaluation
