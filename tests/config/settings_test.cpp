#include "config/settings.hpp"

#include <gtest/gtest.h>

#include "config/checks.hpp"
#include "tests/config/parse_config.hpp"
#include "tests/specs/messages.hpp"

namespace tandem::config {
namespace {

using tests::message_of;
using Words = std::vector<std::string>;

const StateDirPlaces somewhere = {"/state", "", "", "/nonexistent"};

ConfigFile file(std::string text) {
  specs::Problems problems(specs::Problems::Mode::stop_at_first);
  return tests::parse_config(std::move(text), "/etc/c.json", problems);
}

Overrides flags() {
  Overrides given;
  given.repo_dir = "/src";
  given.framework = "tensor";
  return given;
}

std::string merge_error(const std::optional<ConfigFile>& config, const Overrides& given) {
  return message_of([&] { (void)merge(config, given, somewhere); });
}

const char* const one_watch =
    R"({"interval": 9, "watch": [{"repo_dir": "/a", "framework": "f", "step": 3}]})";
const char* const two_watches = R"({"watch": [{"name": "a", "repo_dir": "/a", "framework": "f"},)"
                                R"({"name": "b", "repo_dir": "/b", "framework": "f"}]})";

TEST(Merge, MakesOneWatchOfFlags) {
  const Settings settings = merge(std::nullopt, flags(), somewhere);
  ASSERT_EQ(settings.watches.size(), 1U);
  const WatchSettings& watch = settings.watches[0];
  EXPECT_EQ(watch.name, "tensor-main");
  EXPECT_EQ(watch.repo, "git");
  EXPECT_EQ(watch.repo_dir, "/src");
  EXPECT_EQ(watch.remote_repository, "origin");
  EXPECT_EQ(watch.branch, "main");
  EXPECT_EQ(watch.platforms, (Words{"linux"}));
  EXPECT_EQ(watch.step, 1);
  EXPECT_EQ(watch.control, ControlRule::week);
  EXPECT_DOUBLE_EQ(watch.margin, 0.01);
  EXPECT_FALSE(watch.regression);
  EXPECT_EQ(settings.state_dir, "/state");
  EXPECT_EQ(settings.exec_dir, "/state/cache");
  EXPECT_EQ(settings.max_launches, 66);
}

TEST(Merge, LetsEveryFlagChangeTheOnlyWatch) {
  Overrides given;
  given.branch = "dev/x";
  given.repo_dir = "https://host/y.git";
  given.interval = Seconds{2};
  const Settings settings = merge(file(one_watch), given, somewhere);
  ASSERT_EQ(settings.watches.size(), 1U);
  EXPECT_EQ(settings.watches[0].repo_dir, "https://host/y.git");
  EXPECT_EQ(settings.watches[0].branch, "dev/x");
  EXPECT_EQ(settings.watches[0].name, "f-dev-x");
  EXPECT_EQ(settings.watches[0].step, 3) << "of the file";
  EXPECT_EQ(settings.interval, Seconds{2}) << "of the flags";
}

TEST(Merge, TakesGeneralSettingsFromAFileWithoutWatches) {
  const Settings settings = merge(file(R"({"interval": 9, "jobs": 2})"), flags(), somewhere);
  EXPECT_EQ(settings.interval, Seconds{9});
  EXPECT_EQ(settings.jobs, 2);
  EXPECT_EQ(settings.watches.at(0).framework, "tensor");
}

TEST(Merge, CalibratesUnlessToldOtherwise) {
  const auto calibrates = [](const char* text, std::optional<bool> flag, bool once) {
    Overrides given = flags();
    given.calibrate = flag;
    given.once = once;
    return merge(file(text), given, somewhere).calibrate;
  };
  EXPECT_TRUE(calibrates("{}", std::nullopt, false));
  EXPECT_FALSE(calibrates(R"({"calibrate": false})", std::nullopt, false));
  EXPECT_TRUE(calibrates(R"({"calibrate": false})", true, false));
  EXPECT_FALSE(calibrates("{}", std::nullopt, true)) << "one pass is short";
  EXPECT_FALSE(calibrates(R"({"calibrate": true})", std::nullopt, true));
  EXPECT_TRUE(calibrates("{}", true, true)) << "unless a flag asks for it";
  EXPECT_FALSE(calibrates("{}", false, false));
}

TEST(Merge, AppliesFlagsThatSayHowToAllWatches) {
  Overrides given;
  given.regression = true;
  given.margin = 0.05;
  given.platforms = Words{"x"};
  const Settings settings = merge(file(two_watches), given, somewhere);
  for (const WatchSettings& watch : settings.watches) {
    EXPECT_TRUE(watch.regression);
    EXPECT_DOUBLE_EQ(watch.margin, 0.05);
    EXPECT_EQ(watch.platforms, (Words{"x"}));
  }
}

TEST(Merge, RefusesFlagsThatSayWhatForSeveralWatches) {
  Overrides given;
  given.branch = "main";
  EXPECT_EQ(merge_error(file(two_watches), given),
            "--branch can only be meant for one watch and /etc/c.json has 2; write it there");
}

TEST(Merge, MakesPathsOfFlagsAbsolute) {
  Overrides given = flags();
  given.repo_dir = "clone/../src";
  given.benchmark_file = "b.json";
  given.exec_dir = "e";
  const Settings settings = merge(std::nullopt, given, somewhere);
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(settings.watches[0].repo_dir, (here / "src").string());
  EXPECT_EQ(settings.watches[0].benchmark_file, here / "b.json");
  EXPECT_EQ(settings.exec_dir, here / "e");
}

TEST(Merge, NamesWhatIsMissing) {
  EXPECT_EQ(merge_error(std::nullopt, {}), "there is no repo_dir; give --repo_dir, or a --config file");
  Overrides given = flags();
  given.framework.reset();
  EXPECT_EQ(merge_error(std::nullopt, given), "there is no framework; give --framework, or a --config file");
  EXPECT_EQ(merge_error(file("{\"watch\": [\n {\"name\": \"w\"}]}"), {}),
            "watch \"w\" (/etc/c.json:2:2) has no repo_dir; write \"repo_dir\" there or give --repo_dir");
  EXPECT_EQ(merge_error(file(R"({"watch": [{"repo_dir": "/a"}]})"), {}),
            "the watch at /etc/c.json:1:12 has no framework; write \"framework\" there or give --framework");
}

TEST(Merge, NamesTheFlagWithAWrongValue) {
  const auto error_with = [](auto&& change) {
    Overrides given = flags();
    change(given);
    return merge_error(std::nullopt, given);
  };
  EXPECT_EQ(error_with([](Overrides& given) { given.step = 0; }),
            "--step: found 0; expected a whole number from 1 to 1000000");
  EXPECT_EQ(error_with([](Overrides& given) { given.interval = Seconds{-1}; }),
            "--interval: found -1; expected seconds from 0 to 31622400");
  EXPECT_EQ(error_with(
                [](Overrides& given) { given.interval = Seconds{std::numeric_limits<double>::quiet_NaN()}; }),
            "--interval: found nan; expected seconds from 0 to 31622400");
  EXPECT_EQ(error_with([](Overrides& given) { given.build_timeout = Seconds{0}; }),
            "--build_timeout: found 0; expected seconds from 0.001 to 31622400");
  EXPECT_EQ(error_with([](Overrides& given) { given.margin = 0; }),
            "--margin: found 0; expected a fraction from 0.0001 to 1, such as 0.01 for 1 %");
  EXPECT_EQ(error_with([](Overrides& given) { given.platforms = split_list("linux,../../x"); }),
            "--platforms: found \"../../x\"; expected names such as \"linux\" or \"host/incremental\", of "
            "letters, digits, "
            "\".\", \"_\", \"+\" and \"-\", that stay inside the framework's folder");
  EXPECT_EQ(error_with([](Overrides& given) { given.repo_dir = ""; }), "--repo_dir: is empty; write a path");
  EXPECT_EQ(error_with([](Overrides& given) { given.benchmark_file = "~/b.json"; }),
            "--benchmark_file: found \"~/b.json\"; only a shell expands \"~\", write the whole path");
  EXPECT_EQ(error_with([](Overrides& given) { given.max_launches = 0; }),
            "--max_launches: found 0; expected a whole number from 1 to 100000");
  EXPECT_EQ(error_with([](Overrides& given) { given.branch = "a b"; }),
            "--branch: found \"a b\"; expected the name of a branch, such as \"main\"");
}

TEST(Merge, WantsABaseCommitForAFixedControl) {
  Overrides given = flags();
  given.control = ControlRule::fixed;
  EXPECT_EQ(merge_error(std::nullopt, given),
            "the watch given by flags has control \"fixed\" without a base_commit; name the commit to "
            "compare with");
  given.base_commit = "v1";
  EXPECT_EQ(merge_error(std::nullopt, given), "no error");
}

TEST(Merge, RefusesWatchesThatCannotBeToldApart) {
  EXPECT_EQ(
      merge_error(
          file(R"({"watch": [{"repo_dir": "/a", "framework": "f"}, {"repo_dir": "/b", "framework": "f"}]})"),
          {}),
      "two watches are called \"f-main\", at /etc/c.json:1:12 and /etc/c.json:1:50; give one another "
      "\"name\"");
  EXPECT_EQ(
      merge_error(file(R"({"watch": [{"name": "a", "repo_dir": "/a", "framework": "f", "commit_file": "c"},)"
                       R"({"name": "b", "repo_dir": "/b", "framework": "f", "commit_file": "c"}]})"),
                  {}),
      "watch \"a\" (/etc/c.json:1:12) and watch \"b\" (/etc/c.json:1:82) have the same commit_file; give "
      "each its "
      "own");
}

TEST(ControlRule, IsReadByName) {
  for (const char* name : {"week", "parent", "fixed", "tag"})
    EXPECT_STREQ(name_of(choice<ControlRule>(name)), name);
  EXPECT_EQ(message_of([] { (void)choice<ControlRule>("weak"); }),
            "found \"weak\"; expected one of \"week\", \"parent\", \"fixed\", \"tag\"");
}

TEST(Bytes, AreReadWithTheirUnit) {
  EXPECT_EQ(bytes("0"), 0U);
  EXPECT_EQ(bytes("3K"), 3072U);
  EXPECT_EQ(bytes("2T"), std::uint64_t{2} << 40);
  for (const char* wrong : {"", "-1", "1.5G", "G", "1GB", "1 G", "99999999999999999999", "9999999999T"}) {
    EXPECT_THROW((void)bytes(wrong), InputError) << wrong;
  }
}

TEST(SplitList, KeepsEmptyNamesForTheCheck) {
  EXPECT_EQ(split_list("a,b/c"), (Words{"a", "b/c"}));
  EXPECT_EQ(split_list("a,"), (Words{"a", ""}));
}

}  // namespace
}  // namespace tandem::config
