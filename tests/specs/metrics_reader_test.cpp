#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_directory.hpp"
#include "tests/specs/messages.hpp"
#include "tests/specs/parse_benchmarks.hpp"

namespace tandem::specs {
namespace {

using tests::message_of;
using Words = std::vector<std::string>;

class MetricsReader : public testing::Test {
 protected:
  MetricsReader() {
    std::filesystem::create_directory(folder_.path() / "golden");
    for (const char* name : {"golden/out.txt", "golden/out.f32", "golden/out.float64"})
      std::ofstream(folder_.path() / name) << "1 2";
  }

  std::filesystem::path file() const { return folder_.path() / "spec.json"; }

  BenchmarkSpec parsed(const std::string& fields) const {
    Problems problems(Problems::Mode::stop_at_first);
    return parse_benchmarks(text(fields), file(), {}, problems).benchmarks.at(0);
  }

  /// Without the name of the file.
  std::string error(const std::string& fields) const {
    const std::string message = message_of([&] { (void)parsed(fields); });
    return message.substr(std::min(message.size(), file().string().size()));
  }

  static std::string text(const std::string& fields) {
    return R"({"model": {"name": "m"}, "tests": [{"metric": "delay", "identifier": "i", "command": "x",)"
           "\n" +
           fields + "}]}";
  }

  tests::TemporaryDirectory folder_;
};

TEST_F(MetricsReader, ReadsWhatIsMeasuredBesideTime) {
  const BenchmarkSpec plain = parsed(R"("iter": 1)");
  EXPECT_TRUE(plain.metrics.empty());
  EXPECT_FALSE(plain.golden);
  EXPECT_EQ(plain.instructions, InstructionCounter::automatic);

  const BenchmarkSpec spec = parsed(
      R"("metrics": ["time", "cpu_time", "peak_memory", "size", "instructions", "error"], "instructions": "callgrind",
         "golden": {"file": "golden/out.txt", "output": "{TGTDIR}/a/out.txt", "absolute": 1e-3, "relative": 0.5})");
  EXPECT_EQ(spec.metrics, (Words{"time", "cpu_time", "peak_memory", "size", "instructions", "error"}));
  EXPECT_EQ(spec.instructions, InstructionCounter::callgrind);
  ASSERT_TRUE(spec.golden);
  EXPECT_EQ(spec.golden->file, folder_.path() / "golden/out.txt");
  EXPECT_EQ(spec.golden->output, "{TGTDIR}/a/out.txt");
  EXPECT_EQ(spec.golden->absolute, 1e-3);
  EXPECT_EQ(spec.golden->relative, 0.5);
  EXPECT_EQ(spec.golden->type, Golden::Type::text);
}

TEST_F(MetricsReader, TakesTheTypeOfAGoldenFileFromItsNameUnlessItIsWritten) {
  const auto type = [&](const std::string& golden) {
    return parsed(R"("metrics": ["error"], "golden": {"file": )" + golden + "}").golden->type;
  };
  EXPECT_EQ(type(R"("golden/out.f32")"), Golden::Type::float32);
  EXPECT_EQ(type(R"("golden/out.float64")"), Golden::Type::float64);
  EXPECT_EQ(type(R"("golden/out.txt", "type": "float64")"), Golden::Type::float64);
}

TEST_F(MetricsReader, NamesTheNearestMetric) {
  EXPECT_EQ(error(R"("metrics": ["time", "instrucions"])"),
            ":2:21: /tests/0/metrics/1: found the string \"instrucions\"; did you mean "
            "\"instructions\"? expected one of \"time\", \"cpu_time\", \"peak_memory\", \"size\", "
            "\"instructions\", \"error\"");
}

TEST_F(MetricsReader, RefusesWhatWouldHaveNoEffect) {
  EXPECT_EQ(error(R"("metrics": [])"), ":2:12: /tests/0/metrics: is an empty array; write at least one");
  EXPECT_EQ(error(R"("metrics": ["size", "size"])"),
            ":2:21: /tests/0/metrics/1: names \"size\" a second time; keep one");
  EXPECT_EQ(error(R"("golden": {"file": "golden/out.txt"})"),
            ":2:11: /tests/0/golden: has no effect; add \"error\" to \"metrics\"");
  EXPECT_EQ(error(R"("instructions": "perf")"),
            ":2:17: /tests/0/instructions: has no effect; add \"instructions\" to \"metrics\"");
  EXPECT_EQ(error(R"("metrics": ["error"])"),
            ":2:12: /tests/0/metrics: names \"error\"; add \"golden\": {\"file\": …} to say against which "
            "numbers");
}

TEST_F(MetricsReader, KeepsFilesInsideTheirFolders) {
  const auto golden = [&](const std::string& fields) {
    return error(R"("metrics": ["error"], "golden": {)" + fields + "}");
  };
  for (const char* path : {"/etc/passwd", "../out.txt", "golden/../../out.txt"}) {
    EXPECT_NE(golden(R"("file": ")" + std::string(path) + "\"")
                  .find("/tests/0/golden/file: found the string \"" + std::string(path) +
                        "\"; expected a path inside the folder of this file"),
              std::string::npos)
        << path;
  }
  EXPECT_NE(golden(R"("file": "golden/none.txt")").find("there is no file"), std::string::npos);
  for (const char* path : {"out.txt", "/tmp/out.txt", "{TGTDIR}/../out.txt", "{BUILDDIR}/out.txt"}) {
    EXPECT_NE(golden(R"("file": "golden/out.txt", "output": ")" + std::string(path) + "\"")
                  .find("/tests/0/golden/output: found"),
              std::string::npos)
        << path;
  }
}

TEST_F(MetricsReader, NamesWrongFieldsOfAGoldenFile) {
  const auto golden = [&](const std::string& field) {
    return error(R"("metrics": ["error"], "golden": {"file": "golden/out.txt", )" + field + "}");
  };
  EXPECT_NE(golden(R"("absolut": 1)").find("did you mean \"absolute\"?"), std::string::npos);
  EXPECT_NE(golden(R"("relative": -1)").find("/tests/0/golden/relative"), std::string::npos);
  EXPECT_NE(golden(R"("type": "float16")").find("/tests/0/golden/type"), std::string::npos);
}

}  // namespace
}  // namespace tandem::specs
