#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tandem::tests {

/// A server on loopback: `python3 SCRIPT --port N ARGUMENTS…`, a script of tests/support.
///
/// The script listens on 127.0.0.1 at port N, of its own choice if N is 0, and says so in its first line of
/// output, "port 12345", once it listens; what it prints later is not read. It dies with this object, and
/// with the thread that made it. Throws std::runtime_error if it does not come up.
class ServerProcess {
 public:
  explicit ServerProcess(const std::string& script, std::vector<std::string> arguments = {});
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  [[nodiscard]] int port() const { return port_; }

  /// "http://127.0.0.1:PORT" and `path`, which begins with a slash.
  [[nodiscard]] std::string url(const std::string& path) const;

  /// The body of its answer to a GET, without a client library; empty if it does not answer.
  std::string get(const std::string& path) const;

  /// Kills it: connections are refused from here on. Nothing if it is away already.
  void stop();

  /// Starts it again, at the same port. It remembers nothing unless its arguments name a file.
  void restart();

 private:
  void start();

  std::string script_;
  std::vector<std::string> arguments_;
  int port_ = 0;
  int output_ = -1;
  pid_t child_ = -1;
};

}  // namespace tandem::tests
