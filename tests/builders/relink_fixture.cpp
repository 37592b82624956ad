#include "relink_fixture.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "builders/layout/layout.hpp"
#include "runners/process/process.hpp"
#include "support/paths.hpp"

namespace tandem::builders {
namespace {

constexpr const char* lld = "/usr/bin/ld.lld";

}  // namespace

RelinkTest::RelinkTest() : capture_(tests::paths::linker, lld, captures_, captures_) {
  fs::create_directories(source_);
  fs::create_directories(out_);
}

void RelinkTest::SetUp() {
  if (!has_program("ld.lld")) GTEST_SKIP() << "lld is not installed";
}

void RelinkTest::write_source(const std::string& name, const std::string& text) const {
  write(source_ / name, text);
}

void RelinkTest::write_program(const std::string& name, int count, const std::string& line) const {
  std::string text = "#include <cstdio>\n";
  std::string sum = "0";
  for (int i = 0; i < count; ++i) {
    text += fmt::format(
        "__attribute__((noinline)) int step_{0}(int x) {{ return x * {0} + x / ({0} + 3); }}\n", i);
    sum += fmt::format(" + step_{}(count + {})", i, i % 7);
  }
  text += fmt::format("int main(int count, char**) {{ std::printf(\"{} %d\\n\", {}); }}\n", line, sum);
  write_source(name, text);
}

RelinkTest::Ended RelinkTest::build(const std::string& script) const {
  runners::Command command;
  command.argv = {"/bin/sh", "-euc", script};
  command.environment = capture_.environment();
  command.environment.insert(
      command.environment.end(),
      {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + folder_.path().string(), "LC_ALL=C",
       "OUT=" + out_.string(), "CXXFLAGS=-O1 -ffunction-sections -fdata-sections",
       "CCACHE_DIR=" + (folder_.path() / "ccache").string()});
  command.working_directory = source_;
  const auto finished = run_command(command, {});
  return {finished.succeeded(), finished.output, finished.errors};
}

void RelinkTest::built(const std::string& script) const {
  const Ended ended = build(script);
  ASSERT_TRUE(ended.well) << ended.output << ended.errors;
}

RelinkTest::Ended RelinkTest::run(const fs::path& program) {
  runners::Command command;
  command.argv = {program};
  command.environment = {"LC_ALL=C"};
  const auto finished = run_command(command, {});
  return {finished.succeeded(), finished.output, finished.errors};
}

RelinkTest::Relinked RelinkTest::relinked(const fs::path& links, std::uint64_t seed) {
  Relinked made;
  made.directory = folder_.path() / fmt::format("layout-{}", copies_++);
  fs::copy(out_, made.directory, fs::copy_options::recursive);
  if (const auto failure = relink(links, lld, seed, made.directory)) made.sentence = failure->sentence;
  return made;
}

std::size_t RelinkTest::captured() const {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(captures_)) {
    count += entry.path().filename().string().starts_with("link-") ? 1 : 0;
  }
  return count;
}

std::string delicate_program() {
  return R"(#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
extern std::vector<std::string> order;
std::string part();
thread_local int mine = 41;
struct Note { explicit Note(const char* text) { order.emplace_back(text); } };
static Note first("first");
static Note second("second");
__attribute__((noinline)) int thrower(int x) { if (x > 0) throw std::out_of_range("caught"); return x; }
__attribute__((noinline)) int nested(int x) {
  struct Guard { ~Guard() { order.emplace_back("unwound"); } } guard;
  return thrower(x);
}
int main(int count, char**) {
  try { nested(count); } catch (const std::exception& error) { std::cout << error.what(); }
  std::thread other([] { ++mine; std::cout << ' ' << mine; });
  other.join();
  for (const auto& text : order) std::cout << ' ' << text;
  std::cout << ' ' << mine << ' ' << part() << std::endl;
}
)";
}

std::string delicate_part() {
  return R"(#include <string>
#include <vector>
std::vector<std::string> order __attribute__((init_priority(200)));
static const std::string table[] = {"alpha", "beta", "gamma"};
std::string part() { std::string all; for (const auto& text : table) all += text; return all; }
)";
}

bool has_program(const std::string& name) {
  return ::access(("/usr/bin/" + name).c_str(), X_OK) == 0;
}

}  // namespace tandem::builders
