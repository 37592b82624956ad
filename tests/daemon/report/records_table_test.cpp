#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/report/golden.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/sample_record.hpp"

namespace tandem::daemon::report {
namespace {

TEST(RecordsTable, StaysAsItIs) {
  Record wide = tests::sample_improvement();
  wide.culprit.subject = "Entrolle die Schleife für größere Kerne";
  wide.benchmark = "faltung/größe";
  tests::expect_golden(
      records_table({tests::sample_regression(), tests::sample_fixed(), wide, tests::sample_accumulated(),
                     tests::sample_not_reproduced(), tests::sample_throughput()}),
      "table.txt");
}

TEST(RecordsTable, SaysThatThereIsNone) {
  EXPECT_EQ(records_table({}), "no records\n");
}

TEST(RecordsTable, PutsTheOldestFirst) {
  Record early = tests::sample_regression();
  early.benchmark = "early";
  early.life.front().at -= 86'400;
  const std::string table = records_table({tests::sample_regression(), early});
  EXPECT_LT(table.find("early"), table.find("softmax"));
}

TEST(RecordsTable, KeepsForeignTextOnItsLine) {
  const std::string table = records_table({tests::sample_hostile()});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 2);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tandem::daemon::report
