#include "daemon/store/store_fixture.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace tandem::tests {

using daemon::store::Store;
using daemon::store::StoredVerdict;

std::string step_commit(int number) {
  return fmt::format("{:040x}", number);
}

std::string step_id(int number) {
  return fmt::format("{:016x}", number);
}

StoredVerdict sample_verdict(const std::string& commit, const std::string& benchmark) {
  StoredVerdict verdict;
  verdict.commit = commit;
  verdict.control = "0123";
  verdict.benchmark = benchmark;
  verdict.metric = {"throughput", "1/s", specs::Direction::higher_is_better};
  verdict.outcome = analysis::Outcome::slower;
  verdict.note = "a sentence; with 'quotes' and -- dashes";
  verdict.verdict = sample_improvement().screen;
  verdict.history.settings = {0.02, 0.1 + 0.2, 1e-300, 66};
  verdict.history.launches = {analysis::LaunchStatistics{0.08, -0.0}, std::nullopt,
                              analysis::LaunchStatistics{1.0 / 3, 5e-324}};
  verdict.seed = 0xfedc'ba98'7654'3210;
  verdict.at = 1'704'705'120;
  verdict.definition = {"defined as " + benchmark, "2"};
  return verdict;
}

Store::Step sample_step(int number) {
  Store::Step step;
  step.verdict = sample_verdict(step_commit(number), "softmax/1000");
  step.records = {sample_regression()};
  step.records.front().id = step_id(number);
  return step;
}

std::string ask_sqlite(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* connection = nullptr;
  std::string answer;
  char* message = nullptr;
  int result = sqlite3_open(file.c_str(), &connection);
  if (result == SQLITE_OK) {
    const auto take = [](void* out, int, char** values, char**) {
      auto& text = *static_cast<std::string*>(out);
      if (text.empty() && values[0] != nullptr) text = values[0];
      return 0;
    };
    result = sqlite3_exec(connection, sql.c_str(), take, &answer, &message);
  }
  if (message != nullptr) answer = message;
  sqlite3_free(message);
  sqlite3_close(connection);
  return answer;
}

void tell_sqlite(const std::filesystem::path& file, const std::string& sql) {
  EXPECT_EQ(ask_sqlite(file, sql), "");
}

std::string thrown_message(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

Child::Child(const std::function<void()>& work) : id_(::fork()) {
  if (id_ < 0) throw std::runtime_error("cannot fork");
  if (id_ > 0) return;
  int status = 1;
  try {
    work();
    status = 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "child: {}\n", error.what());
  }
  // Not exit(): what the test program registered to run at its end belongs to the parent.
  ::_exit(status);
}

Child::~Child() {
  kill();
  succeeds();
}

void Child::kill() {
  if (id_ > 0) ::kill(id_, SIGKILL);
}

bool Child::succeeds() {
  if (id_ <= 0) return false;
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace tandem::tests
