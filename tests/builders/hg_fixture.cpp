#include "hg_fixture.hpp"

#include <fmt/format.h>

namespace tandem::builders {
namespace {

constexpr const char* program = "/usr/bin/hg";

/// The environment of an hg that reads no settings of this machine; commits come from far east of UTC.
std::vector<std::string> hg_environment() {
  return {"PATH=/usr/local/bin:/usr/bin:/bin",
          "HGPLAIN=1",
          "HGRCPATH=",
          "HGENCODING=UTF-8",
          "HGUSER=Ada <ada@example.org>",
          "HGMERGE=internal:local",
          "LC_ALL=C.UTF-8",
          "TZ=Asia/Tokyo"};
}

}  // namespace

void HgTest::SetUp() {
  if (!fs::exists(program)) GTEST_SKIP() << "mercurial is not installed";
  fs::create_directories(upstream_);
  hg({"init"});
}

std::string HgTest::hg(const std::vector<std::string>& arguments, const fs::path& directory) const {
  runners::Command command;
  command.argv = {program};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = hg_environment();
  command.working_directory = directory;
  const auto finished = run_command(command, {});
  EXPECT_TRUE(finished.succeeded()) << arguments.front() << " " << describe(finished) << "\n"
                                    << finished.errors;
  std::string output = finished.output;
  while (output.ends_with('\n')) output.pop_back();
  return output;
}

std::string HgTest::commit(const std::string& file, const std::string& text, const std::string& subject) {
  write(upstream_ / file, text);
  return commit_all(subject);
}

std::string HgTest::commit_all(const std::string& subject) {
  clock_ += 600;
  hg({"commit", "--addremove", "--quiet", "--date", fmt::format("{} -32400", clock_), "--message", subject});
  return node();
}

std::string HgTest::node(const std::string& revision) const {
  return hg({"log", "--rev", revision, "--template", "{node}"});
}

Source HgTest::source_of(const std::string& repo_dir, const std::string& branch) const {
  SourceRequest request;
  request.kind = Source::Kind::hg;
  request.repo_dir = repo_dir;
  request.branch = branch;
  request.token_file = token_file_;
  return resolve_source(request);
}

std::variant<Tip, FetchFailure> HgTest::fetch_from(const std::string& repo_dir, const std::string& branch,
                                                   std::chrono::nanoseconds deadline) const {
  return fetch(mirror_, source_of(repo_dir, branch), {"/nonexistent/tandem", deadline});
}

Tip HgTest::fetched(const std::string& repo_dir, const std::string& branch) const {
  const auto result = fetch_from(repo_dir, branch);
  if (const auto* failure = std::get_if<FetchFailure>(&result)) {
    ADD_FAILURE() << name_of(failure->kind) << ": " << failure->sentence;
    return {};
  }
  return std::get<Tip>(result);
}

FetchFailure HgTest::not_fetched(const std::string& repo_dir, const std::string& branch,
                                 std::chrono::nanoseconds deadline) const {
  const auto result = fetch_from(repo_dir, branch, deadline);
  if (const auto* tip = std::get_if<Tip>(&result)) {
    ADD_FAILURE() << "fetched " << tip->id;
    return {};
  }
  return std::get<FetchFailure>(result);
}

HgServer::HgServer(const fs::path& repository) {
  {
    Listener reserved;
    port_ = reserved.port();
  }
  runners::Command command;
  command.argv = {program,       "serve",     "--address",  "127.0.0.1", "--port", std::to_string(port_),
                  "--accesslog", "/dev/null", "--errorlog", "/dev/null"};
  command.environment = hg_environment();
  command.working_directory = repository;
  children_.start(command, {});
  using Clock = runners::Children::Clock;
  for (int attempt = 0; attempt < 500 && !ready_; ++attempt) {
    const auto event = children_.wait(Clock::now() + std::chrono::milliseconds{20}, {});
    if (event.kind == runners::Children::Event::Kind::finished) return;
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    ready_ = ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(client);
  }
}

}  // namespace tandem::builders
