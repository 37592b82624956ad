#include "builders/fetch.hpp"
#include "builders/repository.hpp"
#include "servers.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

using CredentialsTest = GitTest;
using Kind = FetchFailure::Kind;

void expect_no_secret(const FetchFailure& failure) {
  for (const char* secret : {"opensesame", "wrongword"}) {
    EXPECT_EQ(failure.sentence.find(secret), std::string::npos) << failure.sentence;
  }
}

class HttpCredentialsTest : public GitTest {
 protected:
  void SetUp() override {
    first_ = commit("a", "1");
    if (!server_.ready()) GTEST_SKIP() << "lighttpd with mod_cgi and mod_auth is not installed";
  }

  void give_token(const std::string& text) {
    token_file_ = temporary_.path() / "token";
    write_secret(token_file_, text);
  }

  HttpServer server_{temporary_.path()};
  std::string first_;
};

TEST_F(HttpCredentialsTest, FetchesWithoutAnyWhereNoneAreAsked) {
  EXPECT_EQ(fetched(server_.url("open/upstream/.git")).id, first_);
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(server_.url("open/upstream/.git")).id, second);
}

TEST_F(HttpCredentialsTest, TakesUserAndPasswordFromTheUrl) {
  EXPECT_EQ(fetched(server_.url("git/upstream/.git", "ada:opensesame@")).id, first_);
  EXPECT_EQ(fetched(server_.url("git/upstream/.git", "ada:open%73esame@")).id, first_);
}

TEST_F(HttpCredentialsTest, TakesUserAndPasswordFromTheTokenFile) {
  give_token("ada:opensesame\n");
  EXPECT_EQ(fetched(server_.url("git/upstream/.git")).id, first_);
}

TEST_F(HttpCredentialsTest, UsesABareTokenAsThePasswordOfTheUser) {
  give_token("opensesame");
  EXPECT_EQ(fetched(server_.url("git/upstream/.git", "ada@")).id, first_);
}

TEST_F(HttpCredentialsTest, SaysThatThereWereNone) {
  const auto failure = not_fetched(server_.url("git/upstream/.git"));
  EXPECT_EQ(failure.kind, Kind::refused);
  EXPECT_NE(failure.sentence.find("there were none to show"), std::string::npos) << failure.sentence;
  EXPECT_NE(failure.sentence.find("token_file"), std::string::npos) << failure.sentence;
}

TEST_F(HttpCredentialsTest, SaysWhichWereRefusedWithoutShowingThem) {
  const auto by_url = not_fetched(server_.url("git/upstream/.git", "ada:wrongword@"));
  EXPECT_EQ(by_url.kind, Kind::refused);
  EXPECT_NE(by_url.sentence.find("the user information of the URL was not accepted"), std::string::npos)
      << by_url.sentence;
  expect_no_secret(by_url);
  give_token("ada:wrongword\n");
  const auto by_file = not_fetched(server_.url("git/upstream/.git"));
  EXPECT_EQ(by_file.kind, Kind::refused);
  EXPECT_NE(by_file.sentence.find(token_file_.string() + "' was not accepted"), std::string::npos)
      << by_file.sentence;
  expect_no_secret(by_file);
}

TEST_F(HttpCredentialsTest, CarriesNoPasswordToTheHostOfARedirection) {
  std::string seen;
  const ScriptedServer elsewhere([&](int client) {
    char request[4096];
    const auto size = ::read(client, request, sizeof request);
    seen.append(request, size > 0 ? static_cast<std::size_t>(size) : 0);
    const std::string answer =
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n";
    static_cast<void>(!::write(client, answer.data(), answer.size()));
  });
  const ScriptedServer redirecting([&](int client) {
    char request[4096];
    static_cast<void>(!::read(client, request, sizeof request));
    const std::string answer = fmt::format(
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:{}/x/info/refs?service=git-upload-pack\r\n"
        "Content-Length: 0\r\n\r\n",
        elsewhere.port());
    static_cast<void>(!::write(client, answer.data(), answer.size()));
  });
  give_token("ada:opensesame");
  const auto failure = not_fetched(fmt::format("http://127.0.0.1:{}/x", redirecting.port()));
  EXPECT_NE(failure.sentence.find("redirect"), std::string::npos) << failure.sentence;
  EXPECT_EQ(seen.find("Authorization"), std::string::npos) << seen;
}

TEST_F(CredentialsTest, RefusesFilesThatOthersCanRead) {
  token_file_ = temporary_.path() / "token";
  write(token_file_, "ada:opensesame");
  fs::permissions(token_file_, fs::perms::owner_read | fs::perms::group_read);
  try {
    static_cast<void>(source_of("https://example.org/x"));
    FAIL() << "the file was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("chmod 600 " + token_file_.string()), std::string::npos)
        << error.what();
  }
  token_file_ = temporary_.path() / "missing";
  EXPECT_THROW(static_cast<void>(source_of("https://example.org/x")), InputError);
}

TEST_F(CredentialsTest, SaysThatATokenFileBecameReadable) {
  token_file_ = temporary_.path() / "token";
  write_secret(token_file_, "ada:opensesame");
  const Source source = source_of("http://127.0.0.1:1/x");
  fs::permissions(token_file_, fs::perms::others_read, fs::perm_options::add);
  const auto result = fetch(mirror_, source, {tests::paths::fetch_child, std::chrono::seconds{60}});
  EXPECT_EQ(std::get<FetchFailure>(result).kind, Kind::refused);
  EXPECT_NE(std::get<FetchFailure>(result).sentence.find("chmod 600"), std::string::npos)
      << std::get<FetchFailure>(result).sentence;
  write_secret(token_file_, "");
  EXPECT_NE(not_fetched("http://127.0.0.1:1/x").sentence.find("must hold one line"), std::string::npos);
}

TEST_F(CredentialsTest, TrustsOnlyKnownCertificates) {
  const std::string first = commit("a", "1");
  const HttpServer server(temporary_.path(), HttpServer::Tls::yes);
  if (!server.ready()) GTEST_SKIP() << "lighttpd with mod_openssl is not installed";
  const std::string url = server.url("git/upstream/.git", "ada:opensesame@");
  const auto failure = not_fetched(url);
  EXPECT_EQ(failure.kind, Kind::refused);
  EXPECT_NE(failure.sentence.find("the certificate of localhost is not valid"), std::string::npos)
      << failure.sentence;
  expect_no_secret(failure);
  const Variable authorities("SSL_CERT_FILE", server.certificate());
  EXPECT_EQ(fetched(url).id, first);
}

class SshCredentialsTest : public GitTest {
 protected:
  void SetUp() override {
    ::unsetenv("SSH_AUTH_SOCK");
    first_ = commit("a", "1");
    if (!server_.ready()) GTEST_SKIP() << "sshd is not installed, does not start, or this user has no shell";
    server_.make_known();
  }

  SshServer server_{temporary_.path()};
  Variable home_{"HOME", server_.home()};
  std::string first_;
};

TEST_F(SshCredentialsTest, FetchesWithAKeyFile) {
  key_file_ = server_.key("user");
  EXPECT_EQ(fetched(server_.url(upstream_)).id, first_);
  const std::string second = commit("a", "2");
  EXPECT_EQ(fetched(server_.url(upstream_)).id, second);
}

class SshAgentTest : public SshCredentialsTest {
 protected:
  void SetUp() override {
    SshCredentialsTest::SetUp();
    if (IsSkipped()) return;
    runners::Command command;
    command.argv = {"/usr/bin/ssh-agent", "-D", "-a", socket_};
    command.environment = git_environment();
    children_.start(command, {});
    bool added = false;
    for (int attempt = 0; attempt < 200 && !(added = add("stranger")); ++attempt) {
      static_cast<void>(children_.wait(runners::Children::Clock::now() + std::chrono::milliseconds{20}, {}));
    }
    if (!added) GTEST_SKIP() << "ssh-agent is not installed";
  }

  [[nodiscard]] bool add(const char* key) const {
    return run({"/usr/bin/ssh-add", "-q", server_.key(key)}, {"SSH_AUTH_SOCK=" + socket_.string()});
  }

  fs::path socket_ = temporary_.path() / "agent";
  runners::Children children_;
};

TEST_F(SshAgentTest, FetchesWithTheAgent) {
  const Variable agent("SSH_AUTH_SOCK", socket_);
  const auto failure = not_fetched(server_.url(upstream_));
  EXPECT_EQ(failure.kind, Kind::refused);
  EXPECT_NE(failure.sentence.find("the keys of the ssh agent were not accepted"), std::string::npos)
      << failure.sentence;
  ASSERT_TRUE(add("user"));
  EXPECT_EQ(fetched(server_.url(upstream_)).id, first_);
}

TEST_F(SshAgentTest, ShowsTheAgentToNoSubmoduleOnAnotherHost) {
  ASSERT_TRUE(add("user"));
  const Variable agent("SSH_AUTH_SOCK", socket_);
  const fs::path lib = temporary_.path() / "lib";
  git({"clone", "--quiet", upstream_, lib}, temporary_.path());
  write(upstream_ / ".gitmodules",
        fmt::format("[submodule \"m\"]\n\tpath = lib\n\turl = {}\n", server_.url(lib)));
  git({"update-index", "--add", "--cacheinfo", "160000," + first_ + ",lib"});
  git({"add", ".gitmodules"});
  git({"commit", "--quiet", "-m", "Add a submodule"});
  const std::string id = fetched(upstream_).id;
  Source source = source_of(upstream_);
  source.url = "ssh://git@127.0.0.2:1/main";
  const auto failure =
      fetch_submodules(mirror_, id, source, {tests::paths::fetch_child, std::chrono::seconds{60}});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Kind::refused);
  EXPECT_NE(failure->sentence.find("to its own host only"), std::string::npos) << failure->sentence;
  source.url = server_.url(upstream_);
  const auto own =
      fetch_submodules(mirror_, id, source, {tests::paths::fetch_child, std::chrono::seconds{60}});
  EXPECT_FALSE(own) << own->sentence;
}

TEST_F(SshCredentialsTest, SaysWhichKeyWasRefused) {
  key_file_ = server_.key("stranger");
  const auto failure = not_fetched(server_.url(upstream_));
  EXPECT_EQ(failure.kind, Kind::refused);
  EXPECT_NE(failure.sentence.find(key_file_.string() + "' was not accepted"), std::string::npos)
      << failure.sentence;
  write_secret(temporary_.path() / "garbage", "not a key\n");
  key_file_ = temporary_.path() / "garbage";
  EXPECT_EQ(not_fetched(server_.url(upstream_)).kind, Kind::refused);
  key_file_.clear();
  const auto none = not_fetched(server_.url(upstream_));
  EXPECT_EQ(none.kind, Kind::refused);
  EXPECT_NE(none.sentence.find("there were none to show"), std::string::npos) << none.sentence;
}

TEST_F(SshCredentialsTest, RefusesAnUnknownOrChangedHostKey) {
  key_file_ = server_.key("user");
  fs::remove(server_.home() / ".ssh/known_hosts");
  const auto unknown = not_fetched(server_.url(upstream_));
  EXPECT_EQ(unknown.kind, Kind::refused);
  EXPECT_NE(unknown.sentence.find("SHA256:"), std::string::npos) << unknown.sentence;
  EXPECT_NE(unknown.sentence.find("known_hosts"), std::string::npos) << unknown.sentence;
  server_.make_known("stranger");
  EXPECT_EQ(not_fetched(server_.url(upstream_)).kind, Kind::refused);
}

}  // namespace
}  // namespace tandem::builders
