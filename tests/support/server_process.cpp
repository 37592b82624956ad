#include "support/server_process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "support/paths.hpp"

namespace tandem::tests {
namespace {

/// Without its end; empty if the other side closed first.
std::string first_line(int descriptor) {
  std::string line;
  while (true) {
    char byte = 0;
    const ssize_t got = ::read(descriptor, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return "";
    if (byte == '\n') return line;
    line += byte;
  }
}

}  // namespace

ServerProcess::ServerProcess(const std::string& script, std::vector<std::string> arguments)
    : script_(std::string(tests::paths::source) + "/tests/support/" + script),
      arguments_(std::move(arguments)) {
  start();
}

ServerProcess::~ServerProcess() {
  stop();
}

std::string ServerProcess::url(const std::string& path) const {
  return "http://127.0.0.1:" + std::to_string(port_) + path;
}

std::string ServerProcess::get(const std::string& path) const {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port_));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::send(connection, request.data(), request.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(request.size())) {
    std::array<char, 4096> piece{};
    ssize_t got = 0;
    while ((got = ::recv(connection, piece.data(), piece.size(), 0)) > 0) {
      answer.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  ::close(connection);
  const std::size_t header = answer.find("\r\n\r\n");
  return header == std::string::npos ? "" : answer.substr(header + 4);
}

void ServerProcess::start() {
  std::vector<std::string> words = {"python3", "-u", script_, "--port", std::to_string(port_)};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> command(words.size() + 1);
  std::transform(words.begin(), words.end(), command.begin(), [](std::string& word) { return word.data(); });

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execvp(command[0], command.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  output_ = ends[0];
  const std::string line = child_ < 0 ? "" : first_line(output_);
  const int port = line.starts_with("port ") ? std::atoi(line.c_str() + 5) : 0;
  if (port <= 0 || (port_ != 0 && port != port_)) {
    stop();
    throw std::runtime_error(script_ + " did not come up; its first line was \"" + line + "\"");
  }
  port_ = port;
}

void ServerProcess::stop() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  child_ = -1;
  if (output_ >= 0) ::close(output_);
  output_ = -1;
}

void ServerProcess::restart() {
  stop();
  start();
}

}  // namespace tandem::tests
