// A watch that has fetched for so long that its mirror would hold more packs than the process may open.
#include <signal.h>

#include <algorithm>

#include "end_to_end/service.hpp"
#include "end_to_end/world.hpp"

namespace tandem::tests {
namespace {

class ManyFetches : public World {
 protected:
  [[nodiscard]] bool is_done(const std::string& commit) const {
    return fs::exists(state_dir_ / "status.json") &&
           ask(state_dir_ / "tandem.db", "SELECT 1 FROM done WHERE commit_hash = '" + commit + "'").size() ==
               1;
  }
  [[nodiscard]] std::size_t packs() const {
    const auto files = files_below(state_dir_ / "mirrors");
    return static_cast<std::size_t>(
        std::count_if(files.begin(), files.end(), [](const auto& file) { return file.ends_with(".pack"); }));
  }
};

TEST_F(ManyFetches, UnderFewDescriptorsLoseNoCommit) {
  write_build_script("cp \"${0%/*}/built\" \"$2\"\n");
  write_file(root_ / "net.c", Net().source());
  runners::Command compile = tandem_command({});
  compile.argv = {"/usr/bin/cc", "-O2", "-o", frameworks_dir_ / "foreign/linux/built", root_ / "net.c"};
  ASSERT_TRUE(run_command(compile, {}).succeeded());
  std::vector<std::string> line{commit_file("number", "0", "Begin")};

  runners::Command command = tandem_command(daemon_flags({"--interval", "0.05", "--no_calibrate"}));
  command.argv.insert(command.argv.begin(), {"/usr/bin/prlimit", "--nofile=256:256"});
  Service service(command);
  constexpr int fetches = 300;
  std::size_t most_packs = 0;
  for (int i = 1; i <= fetches; ++i) {
    ASSERT_TRUE(service.until([&] { return is_done(line.back()); })) << i;
    most_packs = std::max(most_packs, packs());
    line.push_back(commit_file("number", std::to_string(i), "Count"));
  }
  ASSERT_TRUE(service.until([&] { return is_done(line.back()); }));
  service.signal(SIGTERM);
  const auto ended = service.end_within(std::chrono::seconds{10});
  ASSERT_TRUE(ended);
  EXPECT_EQ(describe(*ended), "exited with status 0") << ended->errors;
  EXPECT_GT(most_packs, 40U) << "each fetch brings a pack";
  EXPECT_LE(most_packs, 52U);
  const auto stored = [&](const char* what) { return ask(state_dir_ / "tandem.db", what); };
  EXPECT_EQ(stored("SELECT count(*) FROM done"), std::vector<std::string>{"301"});
  EXPECT_EQ(stored("SELECT sentence FROM build WHERE succeeded = 0"), std::vector<std::string>{});
  EXPECT_TRUE(
      stored("SELECT kind, sentence FROM event WHERE kind LIKE '%fetch%' OR kind LIKE '%rewrit%'").empty());
}

}  // namespace
}  // namespace tandem::tests
