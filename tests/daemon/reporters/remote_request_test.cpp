#include "daemon/harness/remote_request.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

using nlohmann::json;

json message(const RemoteRequest& request, std::size_t index) {
  return json::parse(json::parse(request.logs)[index]["message"].get<std::string>());
}

TEST(RemoteRequest, HasALogForEachSeries) {
  const RemoteRequest request = remote_request(sample_run(), "perf");
  EXPECT_EQ(request.id, "run-1");
  EXPECT_EQ(request.count, 2u);
  const json logs = json::parse(request.logs);
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0]["id"], "run-1/NET latency");
  EXPECT_EQ(logs[1]["id"], "run-1/ID_0_Conv latency");
  EXPECT_EQ(logs[0]["category"], "perf");
  EXPECT_EQ(logs[0]["line_escape"], false);
}

TEST(RemoteRequest, SaysEverythingInFaiPepsParts) {
  RunRecord run = sample_comparison();
  run.series[0].values = {0.75, 1.25};
  run.series[0].control_values = std::vector<double>{0.5, 1};
  run.statistics = {"p25"};
  EXPECT_EQ(message(remote_request(run, "perf"), 0), json::parse(R"({
    "int": {"time": 1704708000, "commit_time": 1704445200, "control_commit_time": 1704358800, "num_runs": 1,
            "regressed": 1},
    "double": {"mean": 1.0, "p0": 0.75, "p10": 0.8, "p50": 1.0, "p90": 1.2, "p100": 1.25, "stdev": 0.25,
               "MAD": 0.25, "cv": 0.25, "p25": 0.875,
               "control_mean": 0.75, "control_p0": 0.5, "control_p10": 0.55, "control_p50": 0.75,
               "control_p90": 0.95, "control_p100": 1.0, "control_stdev": 0.25, "control_MAD": 0.25,
               "control_cv": 0.3333333333333333, "control_p25": 0.625,
               "diff_mean": 0.25, "diff_p0": -0.25, "diff_p10": -0.1499999999999999, "diff_p50": 0.25,
               "diff_p90": 0.6499999999999999, "diff_p100": 0.75, "diff_stdev": 0.0, "diff_MAD": 0.0,
               "diff_cv": -0.08333333333333331, "diff_p25": 0.0,
               "ratio": 1.3, "ratio_low": 1.25, "ratio_high": 1.375},
    "normal": {"id": "run-1/NET latency", "backend": "cpu", "framework": "pytorch", "platform": "cpu0-3",
               "command": "tandem run --benchmark_file 'my spec.json'", "net_name": "squeezenet",
               "metric": "latency", "identifier": "squeezenet-1.1", "commit": "abc123", "control_commit": "0ld",
               "run_type": "benchmark", "host.cpu": "Example 9000", "host.governor": "performance",
               "type": "NET", "unit": "ms", "verdict": "slower"},
    "normvector": {"values": [0.75, 1.25], "control_values": [0.5, 1.0]}})"));
}

TEST(RemoteRequest, KeepsEveryDigit) {
  const std::vector<double> values = {0.8,       1e-9,   9007199254740992.0,     9007199254740991.0,
                                      0.1 + 0.2, 5e-324, 1.7976931348623157e308, -0.0};
  for (const double value : values) {
    RunRecord run = sample_run();
    run.series = {series_of("NET", "latency", {value})};
    const json parts = message(remote_request(run, "perf"), 0);
    for (const json& got : {parts["normvector"]["values"][0], parts["double"]["p50"]}) {
      EXPECT_TRUE(got.is_number_float()) << got;
      EXPECT_EQ(got.get<double>(), value);
      EXPECT_EQ(std::signbit(got.get<double>()), std::signbit(value));
    }
  }
}

TEST(RemoteRequest, TellsARunWithoutResultsToo) {
  RunRecord run = sample_run();
  run.series.clear();
  run.failure = "it crashed";
  const RemoteRequest request = remote_request(run, "perf");
  EXPECT_EQ(request.count, 1u);
  EXPECT_EQ(json::parse(request.logs)[0]["id"], "run-1");
  EXPECT_EQ(message(request, 0)["normal"]["failure"], "it crashed");
}

TEST(RemoteRequest, ComesBackFromTheSpoolUnchanged) {
  RunRecord run = sample_comparison();
  run.id = "odd \xff id";
  const RemoteRequest request = remote_request(run, "perf");
  const auto read = read_spool_text(spool_text(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->id, request.id);
  EXPECT_EQ(read->count, request.count);
  EXPECT_EQ(read->logs, request.logs);
}

TEST(RemoteRequest, IsKnownAsDamagedFromAnyCutOrChangedByte) {
  const std::string text = spool_text(remote_request(sample_run(), "perf"));
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    ASSERT_FALSE(read_spool_text(text.substr(0, length))) << length;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'x' ? 'y' : 'x';
    ASSERT_FALSE(read_spool_text(changed)) << i;
  }
  for (const char* other : {"[]", "null", "{}", R"({"format":1,"id":3,"count":"x","logs":[]})"})
    EXPECT_FALSE(read_spool_text(other)) << other;
}

TEST(RemoteRequest, CarriesTheTokenInBodyAndHeader) {
  const RemoteRequest request = remote_request(sample_run(), "perf");
  const json body = json::parse(request_body(request, "secret"));
  EXPECT_EQ(body["access_token"], "secret");
  EXPECT_EQ(body["logs"], request.logs);
  EXPECT_EQ(request_headers(request, "secret"),
            (std::vector<std::string>{"Idempotency-Key: run-1", "Authorization: Bearer secret"}));
  EXPECT_EQ(request_headers(request, ""), std::vector<std::string>{"Idempotency-Key: run-1"});
  EXPECT_EQ(spool_text(request).find("secret"), std::string::npos);
}

TEST(RemoteAnswer, DecidesWhatBecomesOfARequest) {
  struct Case {
    long status;
    const char* body;
    Reception reception;
  };
  const RemoteRequest request{"run-1", 2, "[]"};
  for (const auto& [status, body, reception] :
       std::vector<Case>{{200, R"({"count": 2})", Reception::taken},
                         {200, R"({"count": 2, "more": []})", Reception::taken},
                         {200, R"({"known": true})", Reception::taken},
                         {409, "", Reception::taken},
                         {200, R"({"count": 1})", Reception::later},
                         {200, R"({"count": "2"})", Reception::later},
                         {200, R"({"count": -2})", Reception::later},
                         {200, R"({"known": 1})", Reception::later},
                         {200, "", Reception::later},
                         {200, "2", Reception::later},
                         {200, "<html>", Reception::later},
                         {201, R"({"count": 2})", Reception::later},
                         {302, "", Reception::later},
                         {401, "", Reception::later},
                         {403, "", Reception::later},
                         {404, "", Reception::later},
                         {408, "", Reception::later},
                         {429, "", Reception::later},
                         {500, R"({"count": 2})", Reception::later},
                         {503, "", Reception::later},
                         {400, "", Reception::refused},
                         {413, "", Reception::refused},
                         {422, "", Reception::refused}}) {
    const Received got = received({status, body}, request);
    EXPECT_EQ(got.reception, reception) << status << " " << body;
    EXPECT_EQ(got.why.empty(), reception == Reception::taken) << status << " " << body;
  }
  EXPECT_EQ(received({401, ""}, request).why,
            "the server answers with status 401; check --remote_access_token");
}

}  // namespace
}  // namespace tandem::daemon::harness
