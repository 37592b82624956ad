#include "tests/daemon/reporters/remote_fixture.hpp"

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/daemon/reporters/sample_run.hpp"

namespace tandem::daemon::harness {
namespace {

extern "C" std::size_t collect(char* bytes, std::size_t size, std::size_t count, void* into) {
  static_cast<std::string*>(into)->append(bytes, size * count);
  return size * count;
}

nlohmann::json get(const std::string& url) {
  CURL* easy = curl_easy_init();
  std::string body;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(easy);
  curl_easy_cleanup(easy);
  if (code != CURLE_OK) throw std::runtime_error(url + ": " + curl_easy_strerror(code));
  return nlohmann::json::parse(body);
}

}  // namespace

Receiver::Receiver(const std::string& plan)
    : server("receiver.py", {"--token", "secret", "--plan", plan, "--keep", home.path() / "kept.json"}) {}

nlohmann::json Receiver::kept() const {
  return get(server.url("/kept"));
}

nlohmann::json Receiver::requests() const {
  return get(server.url("/requests"));
}

std::vector<std::string> Receiver::kept_ids() const {
  std::vector<std::string> ids;
  for (const auto& log : kept()) ids.push_back(log["id"]);
  return ids;
}

Sender::Sender(const std::string& url) {
  // Whatever proxy the host has, nothing here is beyond it.
  ::setenv("no_proxy", "127.0.0.1", 1);
  settings.remote_reporter = url + "|perf";
  settings.remote_access_token = "secret";
  settings.spool = home.path() / "spool";
  surroundings.now = [this] { return now; };
  surroundings.chance = [] { return 1.0; };
}

Reporters Sender::reporters() {
  return Reporters(settings, surroundings);
}

void Sender::report(Reporters& reporters, const std::string& id) {
  RunRecord run = sample_run();
  run.id = id;
  run.series.resize(1);
  run.time += std::chrono::seconds(reported++);
  EXPECT_TRUE(reporters.report(run).empty());
}

std::filesystem::path Sender::spool() const {
  const std::filesystem::directory_iterator only(settings.spool);
  return only->path();
}

}  // namespace tandem::daemon::harness
