#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "daemon/report/golden.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/sample_record.hpp"

namespace tandem::daemon::report {
namespace {

TEST(RecordsTable, StaysAsItIs) {
  Record wide = tests::sample_improvement();
  wide.culprit.subject = "Entrolle die Schleife für größere Kerne";
  wide.benchmark = "faltung/größe";
  wide.incident = "6666";
  Record partly = tests::sample_partly_fixed();
  partly.incident = "7777";
  Record accepted = tests::sample_regression();
  accepted.state = RecordState::accepted;
  tests::expect_golden(
      records_table({tests::sample_regression(), tests::sample_fixed(), wide, tests::sample_accumulated(),
                     tests::sample_not_reproduced(), tests::sample_throughput(), partly, accepted}),
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

TEST(RecordsTable, SetsRecordsOfOneIncidentApart) {
  const auto of = [](const char* benchmark, const char* incident, std::int64_t day) {
    Record record = tests::sample_regression();
    record.benchmark = benchmark;
    record.incident = incident;
    record.life.front().at += 86'400 * day;
    return record;
  };
  const std::string table = records_table(
      {of("a", "1", 1), of("b", "2", 2), of("c", "3", 3), of("d", "2", 4), of("e", "", 5), of("f", "", 6)});
  std::string order;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("8.1 % slower  ");
    order += line.empty() ? '-' : at == std::string::npos ? '#' : line[at + 14];
  }
  EXPECT_EQ(order, "#a-bd-cef");
}

TEST(RecordsTable, KeepsForeignTextOnItsLine) {
  const std::string table = records_table({tests::sample_hostile()});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 2);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tandem::daemon::report
