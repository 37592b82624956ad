#include "daemon/report/record_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/report/golden.hpp"

namespace tandem::daemon::report {
namespace {

std::vector<Request> sample_requests() {
  Request request;
  request.id = 7;
  request.key = {"pebble", ""};
  request.commit = std::string(40, 'a');
  request.by = "ada";
  request.at = 1'704'705'120;
  std::vector<Request> requests(5, request);
  requests[0].against = "v1.2";
  requests[0].benchmark = "softmax/1000";
  requests[1].kind = Request::Kind::bisect;
  requests[1].against = "main~20";
  requests[1].state = Request::State::running;
  requests[1].progress = "6 of about 22 measurements";
  requests[2].kind = Request::Kind::rerun;
  requests[2].key.platform = "linux";
  requests[2].record = "e16cd405e790ae43";
  requests[2].state = Request::State::done;
  requests[2].answer = "slower again: ratio 1.0790\nthe report stays open";
  requests[3].kind = Request::Kind::confirm;
  requests[3].record = "e16cd405e790ae43";
  requests[3].state = Request::State::failed;
  requests[3].answer = "\x1b[2Jit does not build";
  requests[4].commit = "main\n9  done  measure";
  return requests;
}

TEST(RequestReport, StaysAsItIs) {
  tests::expect_golden(requests_text(sample_requests()), "requests.txt");
  tests::expect_golden(requests_json(sample_requests()), "requests.json");
}

TEST(RequestReport, SaysThatThereIsNone) {
  EXPECT_EQ(requests_text({}), "nothing was queued\n");
  EXPECT_EQ(nlohmann::json::parse(requests_json({})), nlohmann::json::array());
}

TEST(RequestReport, KeepsForeignTextOnItsLine) {
  const std::string text = requests_text({sample_requests()[3], sample_requests()[4]});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\n9  done"), std::string::npos);
}

}  // namespace
}  // namespace tandem::daemon::report
