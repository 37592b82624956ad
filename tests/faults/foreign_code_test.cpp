// What the code of a watched repository can see and do on the host that measures it.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <variant>

#include "end_to_end/service.hpp"
#include "end_to_end/world.hpp"
#include "runners/process/sandbox.hpp"

namespace tandem::tests {
namespace {

class ForeignCode : public World {
 protected:
  ForeignCode() {
    // Without a sandbox another user must come this far.
    fs::permissions(root_, fs::perms::others_exec | fs::perms::others_read, fs::perm_options::add);
  }

  [[nodiscard]] fs::path program() const { return tandem_command({}).argv.front(); }
  [[nodiscard]] fs::path built_libexec() const { return program().parent_path() / "libexec" / "tandem"; }
  [[nodiscard]] fs::path shim() const { return installed_ / "libexec" / "tandem" / "tandem-shim"; }

  /// Tandem as it is installed, but for the shim: no sandbox can be made.
  void install_without_shim() const {
    fs::create_directories(installed_ / "bin");
    fs::create_directories(shim().parent_path());
    write_file(installed_ / "share" / "tandem" / "sdk" / "tandem.hpp", "");
    fs::copy_file(program(), installed_ / "bin" / "tandem");
    fs::copy(built_libexec() / "linker", shim().parent_path() / "linker", fs::copy_options::recursive);
  }
  [[nodiscard]] runners::Command installed_command(const std::vector<std::string>& flags) const {
    runners::Command command = tandem_command(flags);
    command.argv.front() = installed_ / "bin" / "tandem";
    command.environment.emplace_back("OWNERS_SECRET=hunter2");
    return command;
  }
  [[nodiscard]] runners::Finished once(const runners::Command& command) const {
    runners::Limits limits;
    limits.deadline = std::chrono::minutes{4};
    return run_command(command, limits);
  }
  [[nodiscard]] std::string status_text() const { return read_file(state_dir_ / "status.json"); }
  [[nodiscard]] bool is_done(const std::string& commit) const {
    return fs::exists(state_dir_ / "status.json") &&
           ask(state_dir_ / "tandem.db", "SELECT 1 FROM done WHERE commit_hash = '" + commit + "'").size() ==
               1;
  }
  void expect_nothing_failed() const {
    for (const auto& verdict : status().verdicts) EXPECT_NE(verdict.outcome, "failed") << verdict.benchmark;
    EXPECT_TRUE(status().failed_builds.empty());
  }

  fs::path installed_ = root_ / "installed";
};

TEST_F(ForeignCode, SeesOfAHomeDirectoryOnlyTheFileThatTheSpecNames) {
  const fs::path home = root_ / "home";
  const fs::path key = home / ".ssh" / "id_ed25519";
  // Nothing but the sandbox stands between the program and the key.
  write_file(key, "a key\n");
  write_file(home / "weights.txt", "1 2 3\n");
  write_file(home / "net.json", R"({
  "model": {"name": "net", "format": "source", "framework": "foreign",
            "files": {"weights": {"filename": "weights.txt", "location": "weights.txt"}}},
  "tests": [{"metric": "delay", "identifier": "net", "iter": 40,
             "commands": ["{program} --iter {iter} {files.weights}"]}]
})");
  Net net;
  net.at_start = "if (argc != 4 || fopen(argv[3], \"r\") == 0) return 42;\n  if (fopen(\"" + key.string() +
                 "\", \"r\") != 0) return 41;\n  if (fopen(\"" + (home / "net.json").string() +
                 "\", \"r\") != 0) return 40;";
  commit(net, "Add the net");
  net.unused = "int spare(void) { return 1; }\n";
  const std::string tip = commit(net, "Add a function");
  const auto finished = tandem(once_flags({"--benchmark_file", home / "net.json"}));
  if (status_text().find("\"sandbox: ") == std::string::npos) GTEST_SKIP() << "this host makes no sandbox";
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << finished.errors << status_text();
  EXPECT_TRUE(is_done(tip));
  expect_nothing_failed();
}

TEST_F(ForeignCode, ReachesNoTerminalStatusOrPageWithItsEscapes) {
  const auto obeyed = [](const std::string& text) {
    return text.find('\x1b') != std::string::npos || text.find("\xc2\x9b") != std::string::npos;
  };
  const std::string escape = "\x1b]0;owned\x07\x1b[31m \xc2\x9b 31m";
  Net net;
  // Its name of a benchmark, its last words, and then the subject, the author's text and a file.
  net.at_start = R"(puts("PyTorchObserver {\"type\": \"Ev\\u001b[31mil\\u009b\", \"metric\": \"latency\", "
       "\"unit\": \"us\", \"value\": \"1.0\"}"); fputs("\033[2J\302\233 2J\n", stderr);)";
  commit(net, "Add" + escape);
  net.conv_rounds *= 2;
  commit(net, "Make conv" + escape + "\n\nMore" + escape);
  std::string all = tandem(once_flags()).errors;
  write_file(state_dir_ / "reports" / ("letters" + escape) / "mine", "x");
  write_file(state_dir_ / "scratch" / ("notes" + escape) / "mine", "x");
  net.at_start += "if (argc > 0) abort();";
  commit(net, "Crash" + escape);
  write_build_script("printf '\\033[31m \\302\\233 31m' >&2\nexec cc -O2 -o \"$2\" \"$1/net.c\"\n");
  commit_file("net.c", "no C" + escape, "Do not compile" + escape);
  const auto last = tandem(once_flags());
  all += last.errors + last.output;
  ASSERT_FALSE(reports().empty());
  const std::string id = reports()[0].id;
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"status"}, {"status", "--json"}, {"report"}, {"report", id}, {"report", "--json", "--all"}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--state_dir", state_dir_});
    const auto shown = tandem(arguments);
    EXPECT_TRUE(shown.succeeded()) << shown.errors;
    all += shown.output + shown.errors;
  }
  for (const std::string& file : files_below(state_dir_)) {
    const bool page = file.ends_with(".json") || file.ends_with(".md");
    EXPECT_FALSE(page && obeyed(read_file(state_dir_ / file))) << file;
  }
  EXPECT_NE(all.find("Ev"), std::string::npos) << all;
  EXPECT_NE(all.find("letters"), std::string::npos) << "a folder of somebody else's is named";
  EXPECT_NE(all.find("notes"), std::string::npos) << all;
  EXPECT_FALSE(obeyed(all)) << all;
}

TEST_F(ForeignCode, WithoutASandboxIsNeverRootAndHasNothingOfTheEnvironment) {
  install_without_shim();
  write_build_script(
      "test \"$(id -u)\" != 0\ntest -z \"$OWNERS_SECRET\"\ntest ! -r /proc/$PPID/environ\nexec cc -O2 -o "
      "\"$2\" \"$1/net.c\"\n");
  Net net;
  net.at_start =
      "extern unsigned getuid(void);\n  extern int getppid(void);\n  if (getuid() == 0) return 43;\n"
      "  if (getenv(\"OWNERS_SECRET\") != 0) return 44;\n"
      "  char parent[64];\n  sprintf(parent, \"/proc/%d/environ\", getppid());\n"
      "  if (fopen(parent, \"r\") != 0) return 45;";
  const std::string first = commit(net, "Add the net");
  net.unused = "int spare(void) { return 1; }\n";
  const std::string tip = commit(net, "Add a function");
  const auto finished = once(installed_command(once_flags({"--commit", first})));
  EXPECT_TRUE(is_quiet(finished)) << describe(finished) << finished.errors << status_text();
  EXPECT_TRUE(is_done(tip));
  const char* expected = ::geteuid() == 0 ? "weak: as another user" : "weak: as this user";
  EXPECT_NE(status_text().find(expected), std::string::npos) << status_text();
  expect_nothing_failed();
}

TEST_F(ForeignCode, OfRootIsRefusedWhereNeitherASandboxNorAnotherUserCanBeHad) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  install_without_shim();
  commit({}, "Add the net");
  fs::permissions(root_, fs::perms::owner_all);
  const auto finished = once(installed_command(once_flags()));
  EXPECT_EQ(describe(finished), "exited with status 4");
  EXPECT_NE(finished.errors.find("run as another user"), std::string::npos) << finished.errors;
  EXPECT_NE(finished.errors.find("cannot enter"), std::string::npos) << finished.errors;
  EXPECT_FALSE(fs::exists(exec_dir_)) << "nothing was built";
}

TEST_F(ForeignCode, OfRootIsRefusedUnderAUmaskThatShutsTheOtherUserOut) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  install_without_shim();
  commit({}, "Add the net");
  const mode_t before = ::umask(077);
  const auto finished = once(installed_command(once_flags()));
  ::umask(before);
  EXPECT_EQ(describe(finished), "exited with status 4");
  EXPECT_NE(finished.errors.find("umask of 022"), std::string::npos) << finished.errors;
  EXPECT_FALSE(fs::exists(exec_dir_)) << "nothing was built";
}

TEST_F(ForeignCode, GetsASandboxAsSoonAsOneCanBeMade) {
  if (!std::holds_alternative<runners::SandboxTools>(
          runners::find_sandbox(built_libexec() / "tandem-shim"))) {
    GTEST_SKIP() << "this host makes no sandbox";
  }
  install_without_shim();
  Net net;
  const std::string first = commit(net, "Add the net");
  Service service(installed_command(daemon_flags({"--interval", "1", "--no_calibrate"})));
  ASSERT_TRUE(service.until([&] { return is_done(first); }));
  EXPECT_NE(status_text().find("\"weak: "), std::string::npos) << status_text();
  fs::copy_file(built_libexec() / "tandem-shim", shim());
  net.unused = "int spare(void) { return 1; }\n";
  const std::string next = commit(net, "Add a function");
  EXPECT_TRUE(service.until([&] { return is_done(next); }));
  EXPECT_TRUE(service.until([&] { return status_text().find("\"sandbox: ") != std::string::npos; }))
      << status_text();
  service.signal(SIGTERM);
  EXPECT_TRUE(service.end_within(std::chrono::seconds{10}));
}

TEST_F(ForeignCode, GetsASandboxBetweenTwoCommitsOfABacklog) {
  if (!std::holds_alternative<runners::SandboxTools>(
          runners::find_sandbox(built_libexec() / "tandem-shim"))) {
    GTEST_SKIP() << "this host makes no sandbox";
  }
  install_without_shim();
  const fs::path go_on = root_ / "go_on";
  write_build_script("test ! -e \"$1/second\" || while test ! -e '" + go_on.string() +
                     "'; do sleep 0.1; done\nexec cc -O2 -o \"$2\" \"$1/net.c\"\n");
  const std::string first = commit({}, "Add the net");
  const std::string second = commit_file("second", "", "Wait for the shim");
  fs::remove(repo_ / "second");
  const std::string last = commit_file("third", "", "Build at once");
  // One pass by hand is one round.
  Service pass(installed_command(once_flags({"--commit", first, "--no_calibrate"})));
  // Only once the second build has begun without a sandbox, in which it could not see that it may go on.
  ASSERT_TRUE(pass.until(
      [&] { return is_done(first) && status().commit == second && status().phase == "building"; }));
  EXPECT_NE(status_text().find("\"weak: "), std::string::npos) << status_text();
  fs::copy_file(built_libexec() / "tandem-shim", shim());
  write_file(go_on, "");
  const auto ended = pass.end_within(std::chrono::minutes{4});
  ASSERT_TRUE(ended);
  EXPECT_TRUE(is_quiet(*ended)) << describe(*ended) << ended->errors;
  EXPECT_TRUE(is_done(last));
  EXPECT_NE(status_text().find("\"sandbox: "), std::string::npos) << status_text();
}

}  // namespace
}  // namespace tandem::tests
