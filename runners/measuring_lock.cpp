#include "runners/measuring_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "specs/error.hpp"

namespace tandem::runners {
namespace {

std::string lock_path() {
  // A test may use a lock of its own; people never need to.
  if (const char* chosen = std::getenv("TANDEM_LOCK_FILE"); chosen != nullptr) return chosen;
  std::error_code error;
  const char* directory = std::filesystem::is_directory("/run/lock", error) ? "/run/lock" : "/tmp";
  return fmt::format("{}/tandem-measuring.lock", directory);
}

/// Opened without O_CREAT first: in sticky directories the kernel may refuse O_CREAT on another user's file.
int open_for_everybody(const std::string& path) {
  int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file >= 0 || errno != ENOENT) return file;
  file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file >= 0) ::fchmod(file, 0666);
  return file;
}

std::string holder_of(int file) {
  std::array<char, 256> text{};
  const auto length = ::pread(file, text.data(), text.size(), 0);
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : "another process";
}

}  // namespace

MeasuringLock::MeasuringLock(const std::function<void(const std::string&)>& waiting, std::stop_token stop) {
  const std::string path = lock_path();
  file_ = OwnedDescriptor(open_for_everybody(path));
  if (file_.get() < 0) {
    throw Error(fmt::format("cannot open the measuring lock {}: {}", path, std::strerror(errno)));
  }
  bool told = false;
  std::mutex mutex;
  std::condition_variable_any condition;
  while (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw Error(fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
    }
    if (!told && waiting) waiting(holder_of(file_.get()));
    told = true;
    // flock cannot be waited for together with a stop request, hence a slow poll while somebody else
    // measures.
    std::unique_lock lock(mutex);
    condition.wait_for(lock, stop, std::chrono::milliseconds{200}, [] { return false; });
    if (stop.stop_requested()) return;
  }
  held_ = true;
  const std::string holder = fmt::format("process {}", ::getpid());
  if (::ftruncate(file_.get(), 0) == 0) {
    static_cast<void>(::pwrite(file_.get(), holder.data(), holder.size(), 0) == 0);
  }
}

MeasuringLock::~MeasuringLock() = default;

}  // namespace tandem::runners
