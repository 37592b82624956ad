#pragma once

#include <map>
#include <string>

#include "builders/cache/executable_cache.hpp"
#include "repository_fixture.hpp"

namespace tandem::builders {

/// Tests with an empty cache, and with files to be published in it.
class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    write_script(built_ / "main", "exit 0\n");
    write_script(built_ / "helper", "exit 1\n");
    write(built_ / "lib/data.txt", "data");
    fs::create_symlink("lib/data.txt", built_ / "alias");
  }

  Executable publish() { return std::get<Executable>(cache_.publish(entry_, built_, "main")); }

  /// An entry of a commit that is this digit, 40 times.
  Executable publish(char commit) {
    entry_.commit = std::string(40, commit);
    return publish();
  }

  TemporaryDirectory temporary_;
  fs::path built_ = temporary_.path() / "built";
  fs::path exec_dir_ = temporary_.path() / "cache";
  CacheEntry entry_{"framework", "linux", std::string(40, 'a'), std::string(64, 'b')};
  ExecutableCache cache_{exec_dir_};
  fs::path place_ = exec_dir_ / "framework" / "linux" / entry_.commit / std::string(16, 'b');
};

}  // namespace tandem::builders
