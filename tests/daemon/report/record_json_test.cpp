#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/records/record_json.hpp"
#include "daemon/records/verdict_json.hpp"
#include "daemon/report/golden.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/sample_record.hpp"
#include "specs/benchmark/placeholders.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::daemon::report {
namespace {

using nlohmann::json;

TEST(RecordJson, IsReadBackFieldByField) {
  for (const Record& record :
       {tests::sample_regression(), tests::sample_fixed(), tests::sample_improvement(),
        tests::sample_accumulated(), tests::sample_not_reproduced(), tests::sample_partly_fixed(),
        tests::sample_layout(), tests::sample_throughput(), tests::sample_hostile(), Record{}}) {
    SCOPED_TRACE(record.benchmark);
    tests::expect_same(record_from_json(record_json(record)), record);
  }
}

TEST(RecordJson, IsReadBackInEveryStateAndKindAndProtocol) {
  using runners::Protocol;
  Record record = tests::sample_regression();
  for (const RecordState state : {RecordState::open, RecordState::acknowledged, RecordState::partly_fixed,
                                  RecordState::fixed, RecordState::recovered, RecordState::accepted,
                                  RecordState::false_alarm, RecordState::superseded, RecordState::noted}) {
    record.state = record.life.front().state = state;
    tests::expect_same(record_from_json(record_json(record)), record);
  }
  for (const RecordKind kind : {RecordKind::regression, RecordKind::improvement, RecordKind::accumulated,
                                RecordKind::layout, RecordKind::not_reproduced, RecordKind::postponed}) {
    record.kind = kind;
    tests::expect_same(record_from_json(record_json(record)), record);
  }
  for (const Protocol protocol : {Protocol::slices, Protocol::observer, Protocol::google_benchmark,
                                  Protocol::benchdnn, Protocol::command}) {
    record.protocol = protocol;
    tests::expect_same(record_from_json(record_json(record)), record);
  }
}

/// What later versions added; the reports of earlier ones do without.
constexpr std::array added_later = {"isolation", "margin_why", "search",  "remaining",
                                    "fix",       "q_value",    "retests", "sightings"};

TEST(RecordJson, ReadsReportsOfEarlierVersions) {
  json report = json::parse(record_json(tests::sample_partly_fixed()));
  for (const char* name : added_later) ASSERT_EQ(report.erase(name), 1u) << name;
  ASSERT_EQ(report.at("culprit").erase("patch"), 1u);
  Record wanted = tests::sample_partly_fixed();
  const Record fresh;
  wanted.margin_why = fresh.margin_why;
  wanted.culprit_patch.clear();
  wanted.search = {};
  wanted.remaining.reset();
  wanted.fix.reset();
  wanted.q_value = 1;
  wanted.retests.clear();
  tests::expect_same(record_from_json(report.dump()), wanted);
}

TEST(RecordJson, ReadsAFixOfEarlierVersions) {
  json report = json::parse(record_json(tests::sample_partly_fixed()));
  for (const char* name : {"basis", "tries", "screen"}) ASSERT_EQ(report.at("fix").erase(name), 1u) << name;
  Record wanted = tests::sample_partly_fixed();
  wanted.fix->basis = FixBasis::size;
  wanted.fix->tries = 1;
  wanted.fix->screen = {};
  tests::expect_same(record_from_json(report.dump()), wanted);
}

TEST(RecordJson, StaysAsItIs) {
  tests::expect_golden(record_json(tests::sample_regression()), "regression.json");
  tests::expect_golden(record_json(tests::sample_partly_fixed()), "partly_fixed.json");
}

TEST(RecordJson, HasTheFieldsOfTheContract) {
  const json report = json::parse(record_json(tests::sample_fixed()));
  EXPECT_EQ(report.at("schema"), "tandem.report/1");
  for (const char* name :
       {"id", "incident", "kind", "state", "life", "watch", "platform", "url", "benchmark", "metric", "unit",
        "direction", "margin", "co_suspects", "layout", "host", "build"}) {
    EXPECT_TRUE(report.contains(name)) << name;
  }
  EXPECT_EQ(report.at("/life/1/at"_json_pointer), "2024-01-13T09:12:00Z");
  EXPECT_EQ(report.at("/life/1/state"_json_pointer), "fixed");
  EXPECT_EQ(report.at("/life/1/commit"_json_pointer), tests::sample_commit('7', "").id);
  EXPECT_EQ(report.at("/culprit/commit"_json_pointer), report.at("/treatment/commit"_json_pointer));
  EXPECT_EQ(report.at("/culprit/probability"_json_pointer), 0.995);
  EXPECT_EQ(report.at("/culprit/subject"_json_pointer), "Keep rows of softmax in vectors");
  EXPECT_EQ(report.at("/control/time"_json_pointer), "2024-01-06T09:12:00Z");
  EXPECT_EQ(report.at("/ratio/estimate"_json_pointer), 1.0810);
  EXPECT_EQ(report.at("/screen/outcome"_json_pointer), "slower");
  EXPECT_EQ(report.at("/confirmation/outcome"_json_pointer), "confirmed");
  EXPECT_EQ(report.at("/confirmation/units"_json_pointer), 16);
  EXPECT_EQ(report.at("/confirmation/unit_values"_json_pointer).size(), 5u);
  EXPECT_TRUE(report.at("cause").is_null());
}

TEST(RecordJson, WritesAnInfiniteBoundAsNull) {
  const Record record = tests::sample_improvement();
  ASSERT_TRUE(std::isinf(record.screen.ratio.high));
  const std::string text = record_json(record);
  EXPECT_TRUE(json::parse(text).at("/screen/ratio/high"_json_pointer).is_null());
  EXPECT_TRUE(std::isinf(record_from_json(text).screen.ratio.high));
}

TEST(RecordJson, QuotesTheCommandSoThatItSplitsIntoItsWordsAgain) {
  for (Record record : {tests::sample_regression(), tests::sample_hostile()}) {
    record.reproduce.insert(record.reproduce.end(), {"", "'", "a\"b\\c", "x y", "--flag=1"});
    const json reproduce = json::parse(record_json(record)).at("reproduce");
    EXPECT_EQ(reproduce.at("argv"), record.reproduce);
    EXPECT_EQ(specs::split_words(reproduce.at("command").get<std::string>()), record.reproduce);
  }
}

TEST(RecordJson, WritesTextThatIsNotUtf8AsValidJson) {
  Record record = tests::sample_regression();
  record.benchmark = "soft\xffmax";
  EXPECT_EQ(record_from_json(record_json(record)).benchmark, "soft\xEF\xBF\xBDmax");
}

TEST(RecordJson, RefusesWhatItDidNotWriteAndSaysWhy) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      static_cast<void>(record_from_json(text));
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("{"), "a report cannot be read: it is not JSON");
  EXPECT_EQ(message("[]"), "a report cannot be read: there is no object to hold \"schema\"");
  const json good = json::parse(record_json(tests::sample_regression()));
  const auto with = [&](const char* pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    return message(changed.dump());
  };
  EXPECT_EQ(message(good.dump()), "accepted");
  EXPECT_NE(with("/schema", "tandem.report/2").find("tandem.report/2"), std::string::npos);
  EXPECT_NE(with("/kind", "disaster").find("\"disaster\" is no kind"), std::string::npos);
  EXPECT_NE(with("/state", 3).find("\"state\" must be a string"), std::string::npos);
  EXPECT_NE(with("/margin", "1").find("\"margin\" must be a number"), std::string::npos);
  EXPECT_NE(with("/screen/launches", -1).find("\"launches\""), std::string::npos);
  EXPECT_NE(with("/screen/launches", 1.5).find("\"launches\""), std::string::npos);
  EXPECT_NE(with("/life/0/at", "yesterday").find("\"at\" must be a time"), std::string::npos);
  EXPECT_NE(with("/life", "none").find("\"life\" must be an array"), std::string::npos);
  EXPECT_NE(with("/co_suspects", json::array({1})).find("\"co_suspects\""), std::string::npos);
  EXPECT_NE(with("/retests", 1).find("\"retests\" must be an array"), std::string::npos);
  EXPECT_NE(with("/sightings", json::array({1})).find("\"commit\""), std::string::npos);
  EXPECT_NE(with("/remaining", "2 %").find("\"remaining\" must be a number"), std::string::npos);
  EXPECT_NE(with("/search/commits", -1).find("\"commits\""), std::string::npos);
  EXPECT_NE(with("/host", nullptr).find("\"kernel\""), std::string::npos);
  for (const auto& [name, value] : good.items()) {
    if (name == "cause") continue;  // not read yet
    if (std::find(added_later.begin(), added_later.end(), name) != added_later.end()) continue;
    json changed = good;
    changed.erase(name);
    EXPECT_NE(message(changed.dump()).find("\"" + name + "\" is missing"), std::string::npos) << name;
  }
}

TEST(RecordsJson, IsAnArrayOfReports) {
  EXPECT_EQ(json::parse(records_json({})), json::array());
  const json list = json::parse(records_json({tests::sample_fixed(), tests::sample_improvement()}));
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0], json::parse(record_json(tests::sample_fixed())));
  EXPECT_EQ(list[1], json::parse(record_json(tests::sample_improvement())));
}

TEST(VerdictText, IsReadBackBitForBit) {
  for (const Record& record : {tests::sample_regression(), tests::sample_improvement(), Record{}}) {
    tests::expect_same(verdict_from_text(verdict_text(record.screen)), record.screen);
  }
  analysis::Verdict odd;
  odd.sigma = std::numeric_limits<double>::denorm_min();
  odd.minimum_detectable_effect = std::numeric_limits<double>::infinity();
  odd.median.slower = std::numeric_limits<double>::max();
  odd.total.slower = -0.0;
  tests::expect_same(verdict_from_text(verdict_text(odd)), odd);
  EXPECT_THROW(static_cast<void>(verdict_from_text("")), Error);
  EXPECT_THROW(static_cast<void>(verdict_from_text("{}")), Error);
}

}  // namespace
}  // namespace tandem::daemon::report
