#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runners/descriptor.hpp"

namespace tandem::runners {

/// How much a child may still say, and the log that keeps all of it as it comes.
class ChildOutput {
 public:
  /// Throws `Error` if the log cannot be opened; an empty path is no log.
  ChildOutput(std::size_t most_bytes, const std::filesystem::path& log_file);

  /// Appends to `text` what may still be said. False when it was more than that.
  [[nodiscard]] bool take(std::string_view bytes, std::string& text);
  void close_log() { log_ = OwnedDescriptor(); }

 private:
  std::size_t left_;
  OwnedDescriptor log_;
};

/// Cuts a stream into lines. A line without end is handed over in pieces, so that it cannot fill the memory.
class LineCutter {
 public:
  [[nodiscard]] std::vector<std::string> take(std::string_view bytes);

 private:
  std::string rest_;
};

}  // namespace tandem::runners
