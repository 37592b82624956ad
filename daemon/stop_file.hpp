#pragma once

#include <filesystem>
#include <stop_token>
#include <thread>

namespace tandem::daemon {

/// FAI-PEP's stop file: asks for a stop within a second after its content has become 0. Ends with its scope.
class StopFile {
 public:
  /// An empty path: none. `stop` outlives it.
  StopFile(std::filesystem::path file, std::stop_source& stop);

 private:
  std::jthread watcher_;
};

}  // namespace tandem::daemon
