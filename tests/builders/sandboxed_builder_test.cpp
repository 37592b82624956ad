// What other people's build scripts may try, and what becomes of it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "builder_fixture.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::builders {
namespace {

using Kind = BuildFailure::Kind;
using namespace std::chrono_literals;

TEST_F(SandboxedBuilderTest, ShowsTheSamePathsToEveryBuild) {
  settings_.sdk_dir = temporary_.path() / "sdk";
  write(settings_.sdk_dir / "tandem.hpp", "// sdk\n");
  write(settings_.frameworks_dir / "net/beside.txt", "beside\n");
  script(
      "env | sort\npwd\necho \"$0 $1 $2\"\ncat \"$TANDEM_SDK_DIR/tandem.hpp\" \"$(dirname "
      "\"$0\")/beside.txt\"\n"
      "touch \"$1/x\" \"$HOME/x\" \"$TMPDIR/x\" \"$TANDEM_WORK_DIR/x\"\n"
      "cp program \"$2\"; cp program \"$(dirname \"$2\")/further\"\n");
  write_script(upstream_ / "program", "echo ran\n");
  commit_all("Program");
  const Commit commit = tip();
  const Executable executable = built(commit);
  const std::string log = log_of(commit);
  for (const char* line :
       {"HOME=/tandem/home\n", "TMPDIR=/tmp\n", "TANDEM_SDK_DIR=/tandem/sdk\n", "CXXFLAGS=-O2 -g0\n",
        "TANDEM_WORK_DIR=/tandem/objects\n", "\n/tandem/tree\n", "// sdk\n", "beside\n",
        "/tandem/framework/build.sh /tandem/tree /tandem/out/net_benchmark\n"}) {
    EXPECT_NE(log.find(line), std::string::npos) << line << log;
  }
  EXPECT_EQ(log.find(temporary_.path().string()), std::string::npos) << "no name of the host" << log;
  EXPECT_EQ(read(executable.program), "#!/bin/sh\necho ran\n");
  EXPECT_EQ(read(executable.further_programs.at("further")), "#!/bin/sh\necho ran\n");
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00"));
}

TEST_F(SandboxedBuilderTest, KeepsTheHostAsItWas) {
  const fs::path outside = temporary_.path() / "outside";
  write(outside / "precious", "as it was");
  script("echo changed > " + (outside / "precious").string() + "\nmkdir -p " +
         (temporary_.path() / "new").string() +
         "\necho x > /usr/bin/planted\necho x > \"$(dirname \"$0\")/planted\"\nrm -f \"$0\"\n"
         "cp /bin/true \"$2\"\n");
  commit("a", "1");
  const std::string frameworks = fingerprint(settings_.frameworks_dir);
  built(tip());
  EXPECT_EQ(read(outside / "precious"), "as it was");
  EXPECT_FALSE(fs::exists(temporary_.path() / "new"));
  EXPECT_FALSE(fs::exists("/usr/bin/planted"));
  EXPECT_EQ(fingerprint(settings_.frameworks_dir), frameworks);
}

TEST_F(SandboxedBuilderTest, ShowsNoTokenAndNoOtherFileOfTheHost) {
  const fs::path token = temporary_.path() / "token";
  write(token, "secret-of-the-host\n");
  script("cat " + token.string() +
         " /etc/shadow /proc/1/environ \"$HOME\"/../../token\nls -A / /root /home\n"
         "cp /bin/true \"$2\"\n");
  commit("a", "1");
  const Commit commit = tip();
  built(commit);
  EXPECT_EQ(log_of(commit).find("secret-of-the-host"), std::string::npos) << log_of(commit);
  EXPECT_EQ(log_of(commit).find("root:"), std::string::npos) << log_of(commit);
}

TEST_F(SandboxedBuilderTest, ReachesNobody) {
  const tandem::OwnedDescriptor server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  ASSERT_EQ(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  script("bash -c 'echo hello > /dev/tcp/127.0.0.1/" + std::to_string(ntohs(address.sin_port)) +
         "' && echo connected\ncp /bin/true \"$2\"\n");
  commit("a", "1");
  const Commit commit = tip();
  built(commit);
  EXPECT_EQ(log_of(commit).find("connected"), std::string::npos) << log_of(commit);
  EXPECT_LT(::accept(server.get(), nullptr, nullptr), 0);
}

TEST_F(SandboxedBuilderTest, EndsAScriptThatHangsForksAndIgnoresSigterm) {
  settings_.deadline = 1s;
  script("trap '' TERM INT HUP\nfor i in 1 2 3; do (trap '' TERM; setsid sleep 1000) & done\nwait\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::timed_out);
  EXPECT_FALSE(may_pass_later(failure.kind));
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00"));
}

TEST_F(SandboxedBuilderTest, EndsAScriptThatPrintsWithoutEnd) {
  script("yes\n");
  commit("a", "1");
  EXPECT_EQ(failed(tip()).kind, Kind::output);
}

TEST_F(SandboxedBuilderTest, EndsAScriptThatTakesTooMuchMemory) {
  settings_.memory_bytes = std::uint64_t{128} << 20;
  script("echo \"jobs $TANDEM_JOBS\"\ndd if=/dev/zero of=/dev/null bs=1500M count=100\nsleep 60\n");
  commit("a", "1");
  const Commit commit = tip();
  const BuildFailure failure = failed(commit);
  EXPECT_EQ(failure.kind, Kind::memory) << failure.sentence << failure.last_lines;
  EXPECT_NE(log_of(commit).find("jobs 1\n"), std::string::npos) << "tried once more with one job";
}

TEST_F(SandboxedBuilderTest, EndsAScriptThatFillsTheDisk) {
  settings_.disk_bytes = std::uint64_t{32} << 20;
  script(
      "i=0; while :; do i=$((i + 1)); dd if=/dev/zero of=\"$TANDEM_WORK_DIR/$i\" bs=1M count=8 || exit 1; "
      "sleep "
      "0.05; done\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::disk_limit) << failure.sentence << failure.last_lines;
  EXPECT_FALSE(may_pass_later(failure.kind));
}

TEST_F(SandboxedBuilderTest, EndsAScriptThatStartsTooManyProcesses) {
  settings_.processes = 20;
  script("for i in $(seq 1 60); do sleep 30 & done\nwait\n");
  commit("a", "1");
  EXPECT_EQ(failed(tip()).kind, Kind::processes);
}

TEST_F(SandboxedBuilderTest, SaysThatTheSandboxCannotBeMade) {
  settings_.sandbox->bwrap = "/bin/false";
  script("cp /bin/true \"$2\"\n");
  commit("a", "1");
  const BuildFailure failure = failed(tip());
  EXPECT_EQ(failure.kind, Kind::sandbox) << failure.sentence;
  EXPECT_TRUE(may_pass_later(failure.kind));
}

TEST_F(SandboxedBuilderTest, DiesWithItsBuilderAndIsCleanedUpByTheNext) {
  script(
      "trap '' TERM\n(trap '' TERM; while :; do date +%N > \"$1/beat\"; sleep 0.01; done) &\nsleep 1000\n");
  commit("a", "1");
  const Commit commit = tip();
  const pid_t child = ::fork();
  if (child == 0) {
    static_cast<void>(ScriptBuilder(settings_).build(commit, {}));
    ::_exit(0);
  }
  const fs::path beat = state_dir_ / "work/00/tree/beat";
  const auto appears = [&](std::chrono::milliseconds within) {
    const auto end = std::chrono::steady_clock::now() + within;
    while (!fs::exists(beat) && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(5ms);
    return fs::exists(beat);
  };
  EXPECT_TRUE(appears(30s));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  // The namespace is taken down by the kernel, a moment later.
  bool stopped = false;
  for (int tries = 0; tries < 100 && !stopped; ++tries) {
    fs::remove(beat);
    stopped = !appears(200ms);
  }
  EXPECT_TRUE(stopped);
  const ScriptBuilder next(settings_);
  EXPECT_FALSE(fs::exists(state_dir_ / "work/00"));
}

TEST_F(SandboxedBuilderTest, SharesNoCcacheWithBuildsOnTheHost) {
  settings_.ccache = BuildSettings::Ccache::if_present;
  script(
      "c++ $CXXFLAGS -c \"$1/main.cpp\" -o \"$TANDEM_WORK_DIR/main.o\"\nc++ \"$TANDEM_WORK_DIR/main.o\" -o "
      "\"$2\"\n");
  commit("main.cpp", "int main() {}\n");
  const Commit commit = tip();
  const auto sandbox = std::exchange(settings_.sandbox, std::nullopt);
  built(commit);
  settings_.sandbox = sandbox;
  built_anew(commit);
  settings_.sandbox.reset();
  built_anew(commit);
}

TEST_F(SandboxedBuilderTest, ShowsWhatTheSettingsMakeReadable) {
  const fs::path library = temporary_.path() / "library";
  write(library / "header.hpp", "// from the library\n");
  settings_.readable = {library};
  script("cat " + (library / "header.hpp").string() + "\necho x > " + (library / "new").string() +
         "\ncp /bin/true \"$2\"\n");
  commit("a", "1");
  const Commit commit = tip();
  built(commit);
  EXPECT_NE(log_of(commit).find("// from the library"), std::string::npos);
  EXPECT_FALSE(fs::exists(library / "new"));
}

TEST_F(SandboxedBuilderTest, ProvidesGit) {
  settings_.git = BuildSettings::Git::provided;
  script("git describe --tags\ngit log --oneline | wc -l\ncp /bin/true \"$2\"\n");
  commit("a", "1");
  git({"tag", "v1.5"});
  const Commit commit = tip();
  built(commit);
  EXPECT_NE(log_of(commit).find("v1.5\n1\n"), std::string::npos) << log_of(commit);
}

}  // namespace
}  // namespace tandem::builders
