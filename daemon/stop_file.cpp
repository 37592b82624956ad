#include "daemon/stop_file.hpp"

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

namespace tandem::daemon {
namespace {

bool asks_to_stop(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  return in >> word && word == "0";
}

}  // namespace

StopFile::StopFile(std::filesystem::path file, std::stop_source& stop) {
  if (file.empty()) return;
  watcher_ = std::jthread([file = std::move(file), &stop](const std::stop_token& leaving) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    while (!leaving.stop_requested()) {
      if (asks_to_stop(file)) stop.request_stop();
      condition.wait_for(lock, leaving, std::chrono::seconds{1}, [] { return false; });
    }
  });
}

}  // namespace tandem::daemon
