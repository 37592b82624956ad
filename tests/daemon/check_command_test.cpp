#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "daemon/commands/commands.hpp"
#include "specs/benchmark/fields.hpp"
#include "specs/foundation/error.hpp"
#include "support/paths.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::daemon::commands {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path source = tests::paths::source;

class CheckCommand : public testing::Test {
 protected:
  fs::path write(const char* name, const std::string& text) {
    const fs::path file = directory_.path() / name;
    std::ofstream(file) << text;
    return file;
  }

  int run(const CheckOptions& options) {
    testing::internal::CaptureStdout();
    int code = -1;
    try {
      code = run_check_command(options);
    } catch (const InputError& error) {
      refusal_ = error.what();
    }
    output_ = testing::internal::GetCapturedStdout();
    return code;
  }

  int run(std::vector<fs::path> files, Format format = Format::text) {
    CheckOptions options;
    options.files = std::move(files);
    options.format = format;
    return run(options);
  }

  tests::TemporaryDirectory directory_;
  std::string output_;
  std::string refusal_;
};

constexpr const char* good =
    R"({"model": {"name": "m"}, "tests": [{"metric": "delay", "identifier": "i", "command": "p"}]})";

TEST_F(CheckCommand, IsContentWithEverythingThatIsShipped) {
  CheckOptions options;
  for (const auto& entry : fs::directory_iterator(source / "specs/benchmarks"))
    options.files.push_back(entry.path());
  options.files.push_back(source / "config/tandem.sample.json");
  ASSERT_GE(options.files.size(), 4U);
  EXPECT_EQ(run(options), 0);
  EXPECT_EQ(output_, std::to_string(options.files.size()) + " files, 0 problems\n");
}

TEST_F(CheckCommand, ShowsAllProblemsOfAllFilesAtOnce) {
  const fs::path spec = write("spec.json",
                              "{\"model\": {\"name\": \"m\", \"repeat\": 0},\n"
                              " \"tests\": [{\"metric\": \"delay\", \"identifier\": \"i\", \"itre\": 5,\n"
                              "  \"command\": \"p {far_away_thing}\", \"voltage\": 4}]}");
  const fs::path config = write("config.json", "{\"intervall\": 5, \"watch\": [{\"step\": 0}]}");
  const fs::path text = write("text.json", "[1,");
  EXPECT_EQ(run({spec, config, text, directory_.path() / "none.json"}), 2);
  const std::string folder = directory_.path().string();
  std::vector<std::string> lines;
  std::istringstream stream(output_);
  for (std::string line; std::getline(stream, line);) lines.push_back(line.substr(0, folder.size() + 90));
  const auto begins = [&](std::size_t line, const std::string& begin) {
    ASSERT_LT(line, lines.size()) << output_;
    EXPECT_EQ(lines[line].substr(0, folder.size() + 1 + begin.size()), folder + "/" + begin);
  };
  ASSERT_EQ(lines.size(), 9U) << output_;
  begins(0, "spec.json:1:35: /model/repeat: found 0; expected a whole number from 1 to 1000000");
  begins(1, "spec.json:2:51: /tests/0/itre: unknown key \"itre\"; did you mean \"iter\"? allowed here: ");
  begins(2, "spec.json:3:14: /tests/0/command: unknown placeholder {far_away_thing}; ");
  begins(3, "spec.json:3:47: /tests/0/voltage: notice: is accepted and has no effect: Android");
  begins(4, "config.json:1:2: /intervall: unknown key \"intervall\"; did you mean \"interval\"? ");
  begins(5, "config.json:1:37: /watch/0/step: found 0; expected a whole number from 1 to ");
  begins(6, "text.json:1:4: ");
  begins(7, "none.json: does not exist; check the path");
  EXPECT_EQ(lines[8], "4 files, 7 problems");
}

TEST_F(CheckCommand, CountsOneProblemAsOne) {
  EXPECT_EQ(run({write("a.json", "{}")}), 2);
  EXPECT_TRUE(output_.ends_with("\n1 file, 2 problems\n")) << output_;
  EXPECT_EQ(run({write("a.json", "[")}), 2);
  EXPECT_TRUE(output_.ends_with("\n1 file, 1 problem\n")) << output_;
}

TEST_F(CheckCommand, TellsPlacesToProgramsInJson) {
  const fs::path bad = write("bad.json", R"({"model": {"name": "m", "app": 1}, "tests": [], "x": 1})");
  EXPECT_EQ(run({write("good.json", good), bad, source / "config/tandem.sample.json"}, Format::json), 2);
  Json all = Json::parse(output_);  // not const, so that what is missing is null
  EXPECT_EQ(all["problems"], 2);
  ASSERT_EQ(all["files"].size(), 3U);
  EXPECT_EQ(all["files"][0]["benchmarks"], 1);
  EXPECT_EQ(all["files"][0]["problems"], Json::array());
  EXPECT_EQ(all["files"][1]["problems"][0]["pointer"], "/x");
  EXPECT_EQ(all["files"][1]["problems"][0]["line"], 1);
  EXPECT_EQ(all["files"][1]["problems"][0]["column"], 49);
  EXPECT_EQ(all["files"][1]["notices"][0]["pointer"], "/model/app");
  EXPECT_EQ(all["files"][2]["kind"], "config");
}

TEST_F(CheckCommand, KnowsWhatTheCommandLineSays) {
  CheckOptions options;
  options.files = {write("a.json", R"({"model": {"name": "m", "framework": "caffe2"},
      "tests": [{"metric": "delay", "identifier": "i", "command": "p {mine}"}]})")};
  options.options.string_map = {{"mine", "1"}};
  EXPECT_EQ(run(options), 0) << output_;
  options.options.framework = "tflite";
  EXPECT_EQ(run(options), 2);
}

TEST_F(CheckCommand, PrintsTheSchema) {
  CheckOptions options;
  options.schema = "";
  EXPECT_EQ(run(options), 0);
  EXPECT_EQ(output_, specs::benchmark_schema());
  options.schema = "confg";
  EXPECT_EQ(run(options), -1);
  EXPECT_EQ(refusal_, "there is no schema \"confg\"; write --schema or --schema benchmark");
}

TEST_F(CheckCommand, NeedsAFile) {
  EXPECT_EQ(run(CheckOptions{}), -1);
  EXPECT_EQ(refusal_, "no file is given; write tandem check FILE…");
}

}  // namespace
}  // namespace tandem::daemon::commands
