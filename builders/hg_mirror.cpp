#include "builders/hg_mirror.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "builders/hg_program.hpp"
#include "specs/error.hpp"

namespace tandem::builders::hg {
namespace {

namespace fs = std::filesystem;

/// All in it can be fetched again; the last such mirror is kept for a look.
void put_aside(const fs::path& mirror) {
  const fs::path aside = mirror.string() + ".damaged";
  fs::remove_all(aside);
  fs::rename(mirror, aside);
}

/// Makes the mirror beside its place and renames it, so that it is either whole or missing.
void create(const fs::path& mirror, std::chrono::nanoseconds deadline) {
  const fs::path fresh = mirror.string() + ".new";
  fs::remove_all(fresh);
  Call call;
  call.arguments = {"init", "--", fresh};
  call.deadline = deadline;
  static_cast<void>(run_or_throw(call, fmt::format("make the mirror '{}'", mirror.string())));
  fs::create_directories(our_folder(fresh));
  fs::rename(fresh, mirror);
}

}  // namespace

std::optional<runners::OwnedDescriptor> lock_mirror(const fs::path& mirror,
                                                    std::chrono::steady_clock::time_point end,
                                                    const std::stop_token& stop) {
  fs::create_directories(mirror.parent_path());
  const std::string path = mirror.string() + ".lock";
  runners::OwnedDescriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  const auto fail = [&] { throw Error(fmt::format("cannot lock '{}': {}", path, std::strerror(errno))); };
  if (descriptor.get() < 0) fail();
  while (::flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail();
    if (stop.stop_requested() || std::chrono::steady_clock::now() >= end) return std::nullopt;
    // A wait for a lock of files cannot be woken by a stop.
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return descriptor;
}

void prepare_mirror(const fs::path& mirror, std::chrono::nanoseconds deadline) {
  const fs::path store = mirror / ".hg" / "store";
  if (fs::exists(mirror)) {
    if (!fs::exists(mirror / ".hg" / "requires") || !fs::is_directory(store)) put_aside(mirror);
  }
  if (!fs::exists(mirror)) return create(mirror, deadline);
  // Ours is the only fetch, so these belong to a dead one; its process number may be taken by now.
  for (const fs::path& lock : {store / "lock", mirror / ".hg" / "wlock"}) fs::remove(lock);
  if (!fs::exists(store / "journal")) return;
  Call call;
  call.arguments = {"-R", mirror, "recover", "--no-verify"};
  call.deadline = deadline;
  if (run(call).succeeded() && !fs::exists(store / "journal")) return;
  put_aside(mirror);
  create(mirror, deadline);
}

bool put_aside_if_damaged(const fs::path& mirror, std::chrono::nanoseconds deadline,
                          const std::stop_token& stop) {
  Call call;
  call.arguments = {"-R", mirror, "verify"};
  call.deadline = deadline;
  const runners::Finished finished = run(call, stop);
  // Out of time or stopped says nothing about the mirror.
  if (finished.succeeded() || finished.how != runners::Finished::How::exited) return false;
  put_aside(mirror);
  return true;
}

}  // namespace tandem::builders::hg
