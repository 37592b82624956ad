#include "runners/child_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "specs/error.hpp"

namespace tandem::runners {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 10;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

ChildOutput::ChildOutput(std::size_t most_bytes, const std::filesystem::path& log_file) : left_(most_bytes) {
  if (log_file.empty()) return;
  log_ = OwnedDescriptor(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (log_.get() < 0)
    throw Error(fmt::format("cannot write the log {}: {}", log_file.string(), std::strerror(errno)));
}

bool ChildOutput::take(std::string_view bytes, std::string& text) {
  const auto taken = bytes.substr(0, left_);
  left_ -= taken.size();
  text.append(taken);
  if (log_.get() >= 0) write_all(log_.get(), taken);
  return taken.size() == bytes.size();
}

std::vector<std::string> LineCutter::take(std::string_view bytes) {
  std::vector<std::string> lines;
  rest_.append(bytes);
  std::size_t begin = 0;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    lines.push_back(rest_.substr(begin, end - begin));
    begin = end + 1;
  }
  rest_.erase(0, begin);
  if (rest_.size() > longest_line) lines.push_back(std::exchange(rest_, {}));
  return lines;
}

}  // namespace tandem::runners
