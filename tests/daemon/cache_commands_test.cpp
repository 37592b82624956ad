#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "builders/cache/executable_cache.hpp"
#include "daemon/commands/command_line.hpp"
#include "daemon/store/store.hpp"
#include "report/sample_record.hpp"
#include "specs/foundation/error.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string one_commit(40, 'a');
const std::string other_commit(40, 'b');

class CacheCommands : public testing::Test {
 protected:
  CacheCommands() {
    fs::create_directories(folder_ / "state");
    write(folder_ / "program", "#!/bin/sh\n");
    fs::permissions(folder_ / "program", fs::perms::owner_all);
  }

  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  /// `tandem cache` with these words, in the state directory of the test.
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), {"tandem", "cache"});
    words.insert(words.end(), {"--state_dir", (folder_ / "state").string()});
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    const auto request = read_command_line(static_cast<int>(argv.size()), argv.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int code = -1;
    std::string refusal;
    try {
      code = run_cache_command(std::get<CacheOptions>(request));
    } catch (const InputError& error) {
      refusal = error.what();
      code = 2;
    }
    output_ = testing::internal::GetCapturedStdout();
    errors_ = testing::internal::GetCapturedStderr() + refusal;
    return code;
  }

  int add(const std::string& commit, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"add",      "--framework", "example",
                                      "--commit", commit,        (folder_ / "program").string()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  json entries() {
    EXPECT_EQ(run({"list", "--json"}), 0);
    return json::parse(output_).at("entries");
  }

  tests::TemporaryDirectory temporary_;
  fs::path folder_ = temporary_.path();
  std::string output_;
  std::string errors_;
};

TEST_F(CacheCommands, AddAPreBuiltProgramThatABuildWillFind) {
  write(folder_ / "lib/data.txt", "data");
  EXPECT_EQ(add(one_commit, {(folder_ / "lib").string()}), 0) << errors_;
  const builders::ExecutableCache cache(folder_ / "state/cache");
  const auto found = cache.find({"example", "linux", one_commit, std::string(64, 'f')}).executable;
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->added_by_hand);
  EXPECT_EQ(found->program.filename(), "program");
  EXPECT_TRUE(fs::exists(found->directory / "lib/data.txt"));
  EXPECT_EQ(entries().at(0).at("added_by_hand"), true);
  EXPECT_TRUE(fs::is_empty(folder_ / "state/cache/incoming"));
}

TEST_F(CacheCommands, RefuseASecondProgramForOneCommit) {
  EXPECT_EQ(add(one_commit), 0) << errors_;
  EXPECT_EQ(add(one_commit), 2);
  EXPECT_NE(errors_.find("tandem cache prune --commit"), std::string::npos) << errors_;
  EXPECT_EQ(run({"prune", "--commit", one_commit}), 0) << errors_;
  EXPECT_EQ(add(one_commit), 0) << errors_;
}

TEST_F(CacheCommands, SayWhenABuildIsUsedBeforeWhatWasAdded) {
  const builders::ExecutableCache cache(folder_ / "state/cache");
  write(folder_ / "built/main", "program");
  ASSERT_EQ(cache.publish({"example", "linux", one_commit, std::string(64, 'f')}, folder_ / "built", "main")
                .index(),
            0U);
  EXPECT_EQ(add(one_commit), 0) << errors_;
  EXPECT_NE(errors_.find("is used first"), std::string::npos) << errors_;
}

TEST_F(CacheCommands, FollowALinkThatIsGiven) {
  fs::rename(folder_ / "program", folder_ / "real");
  fs::create_symlink("real", folder_ / "program");
  EXPECT_EQ(add(one_commit), 0) << errors_;
}

TEST_F(CacheCommands, ListAndVerify) {
  EXPECT_EQ(add(one_commit), 0) << errors_;
  EXPECT_EQ(run({"list"}), 0);
  EXPECT_TRUE(output_.starts_with("FRAMEWORK")) << output_;
  EXPECT_NE(output_.find("aaaaaaaaaaaa"), std::string::npos) << output_;
  EXPECT_EQ(run({"verify"}), 0);
  EXPECT_EQ(output_, "1 entry and 0 layouts read, 0 damaged\n");
  const fs::path program = fs::path(entries().at(0).at("directory").get<std::string>()) / "programs/program";
  fs::permissions(program, fs::perms::owner_all);
  write(program, "changed");
  EXPECT_EQ(run({"verify", "--json"}), 4);
  EXPECT_EQ(json::parse(output_).at("damage").size(), 1U);
  EXPECT_EQ(run({"verify"}), 0) << "it was moved away";
  EXPECT_EQ(run({"list"}), 0);
  EXPECT_NE(output_.find("1 damaged"), std::string::npos) << output_;
}

TEST_F(CacheCommands, PruneToABudget) {
  EXPECT_EQ(add(one_commit), 0) << errors_;
  EXPECT_EQ(add(other_commit), 0) << errors_;
  EXPECT_EQ(run({"prune", "--budget", "1G"}), 0);
  EXPECT_EQ(entries().size(), 2U);
  EXPECT_EQ(run({"prune", "--budget", "0", "--dry_run"}), 0);
  EXPECT_NE(output_.find("would drop entry"), std::string::npos) << output_;
  EXPECT_EQ(entries().size(), 2U);
  EXPECT_EQ(run({"prune", "--budget", "0", "--json"}), 0);
  EXPECT_EQ(json::parse(output_).at("dropped").size(), 2U);
  EXPECT_EQ(json::parse(output_).at("bytes_after"), 0);
  EXPECT_EQ(entries().size(), 0U);
}

TEST_F(CacheCommands, PruneNothingThatAnOpenRegressionNeeds) {
  EXPECT_EQ(add(one_commit), 0) << errors_;
  EXPECT_EQ(add(other_commit), 0) << errors_;
  Record record = tests::sample_regression();
  record.state = RecordState::open;
  record.culprit.id = one_commit;
  {
    store::Store store(folder_ / "state/tandem.db", store::Store::Mode::write);
    store::StoredVerdict verdict;
    verdict.commit = one_commit;
    verdict.benchmark = record.benchmark;
    verdict.metric = record.metric;
    verdict.outcome = analysis::Outcome::slower;
    store.save_step(record.key, {verdict, {record}});
  }
  EXPECT_EQ(run({"prune", "--budget", "0", "--json"}), 0) << errors_;
  EXPECT_EQ(json::parse(output_).at("kept"), 1);
  const json left = entries();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.at(0).at("commit"), one_commit);
}

TEST_F(CacheCommands, DropNothingThatIsInUse) {
  EXPECT_EQ(add(one_commit), 0) << errors_;
  const builders::ExecutableCache cache(folder_ / "state/cache");
  const auto executable = cache.find({"example", "linux", one_commit, {}}).executable;
  const auto held = cache.pin(*executable);
  EXPECT_EQ(run({"prune", "--commit", "aaaaaaa"}), 4);
  EXPECT_NE(output_.find("in use by a process"), std::string::npos) << output_;
  EXPECT_EQ(entries().size(), 1U);
}

struct Wrong {
  std::vector<std::string> words;
  std::string said;
};
class WrongCacheCommands : public CacheCommands, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongCacheCommands, AreRefusedInOneSentence) {
  EXPECT_EQ(add(one_commit), 0) << errors_;
  std::vector<std::string> words = GetParam().words;
  for (std::string& word : words) {
    if (word == "PROGRAM") word = folder_ / "program";
    if (word == "FOLDER") word = folder_;
  }
  EXPECT_EQ(run(words), 2);
  EXPECT_NE(errors_.find(GetParam().said), std::string::npos) << errors_;
  EXPECT_EQ(errors_.find('\n'), std::string::npos) << errors_;
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongCacheCommands,
    testing::Values(
        Wrong{{"prune"}, "--budget"}, Wrong{{"prune", "--budget", "1G", "--commit", "aaaaaaa"}, "one of"},
        Wrong{{"prune", "--commit", "aaa"}, "at least 7"},
        Wrong{{"prune", "--commit", "../../etc"}, "no commit"},
        Wrong{{"prune", "--commit", "ccccccc"}, "tandem cache list"},
        Wrong{{"add", "--framework", "f", "--commit", "abc", "PROGRAM"}, "all 40 digits"},
        Wrong{{"add", "--framework", "../f", "--commit", other_commit, "PROGRAM"}, "--framework"},
        Wrong{{"add", "--framework", "/f", "--commit", other_commit, "PROGRAM"}, "--framework"},
        Wrong{{"add", "--framework", "f", "--platform", "", "--commit", other_commit, "PROGRAM"},
              "--platform"},
        Wrong{{"add", "--framework", "f", "--commit", other_commit, "FOLDER"}, "not an executable file"},
        Wrong{{"add", "--framework", "f", "--commit", other_commit, "/nonexistent"},
              "not an executable file"},
        Wrong{{"add", "--framework", "f", "--commit", other_commit, "PROGRAM", "PROGRAM"}, "rename one"},
        Wrong{{"add", "--framework", "f", "--commit", other_commit, "PROGRAM", "/nonexistent"}, "neither"},
        Wrong{{"list", "--exec_dir", "/nonexistent"}, "--exec_dir"}));

TEST(CacheCommandLine, NamesWhatIsWrong) {
  const auto refusal = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"tandem", "cache"});
    try {
      static_cast<void>(read_command_line(static_cast<int>(words.size()), words.data()));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal({}).find("subcommand"), std::string::npos);
  EXPECT_NE(refusal({"prune", "--budget", "much"}).find("much"), std::string::npos);
  EXPECT_NE(refusal({"add", "program"}).find("--framework"), std::string::npos);
  EXPECT_NE(refusal({"list", "--all"}).find("--all"), std::string::npos);
  EXPECT_EQ(refusal({"prune", "--dry-run", "--budget", "20G"}), "accepted");
}

}  // namespace
}  // namespace tandem::daemon::commands
