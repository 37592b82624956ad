#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "repository_fixture.hpp"
#include "runners/process/process.hpp"

namespace tandem::builders {

/// A listening socket on 127.0.0.1 with a port of its own. Connections succeed and are never answered.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 16) != 0 ||
        ::getsockname(socket_, generic, &size) != 0) {
      throw std::runtime_error("cannot listen on the loopback interface");
    }
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] int port() const { return port_; }

 private:
  int socket_;
  int port_ = 0;
};

/// Answers each connection with one function on a thread of its own.
class ScriptedServer {
 public:
  explicit ScriptedServer(std::function<void(int)> answer)
      : thread_([this, answer = std::move(answer)] {
          for (int client; (client = ::accept(listener_.socket(), nullptr, nullptr)) >= 0; ::close(client)) {
            answer(client);
          }
        }) {}
  ~ScriptedServer() {
    ::shutdown(listener_.socket(), SHUT_RDWR);
    thread_.join();
  }
  [[nodiscard]] int port() const { return listener_.port(); }

 private:
  Listener listener_;
  std::thread thread_;
};

/// A real server in a child process, on a port of 127.0.0.1 of its own.
class ServerProcess {
 public:
  ServerProcess() {
    const Listener reserved;
    port_ = reserved.port();
  }

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] bool ready() const { return ready_; }

  /// Returns when it answers on its port, or has ended.
  void start(const std::vector<std::string>& argv,
             const std::vector<std::string>& environment = git_environment()) {
    runners::Command command;
    command.argv = argv;
    command.environment = environment;
    children_.start(command, {});
    using Clock = runners::Children::Clock;
    for (int attempt = 0; attempt < 500 && !ready_; ++attempt) {
      const auto event = children_.wait(Clock::now() + std::chrono::milliseconds{20}, {});
      if (event.kind == runners::Children::Event::Kind::finished) return;
      ready_ = answers();
    }
  }

 private:
  [[nodiscard]] bool answers() const {
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    const bool connected = ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(client);
    return connected;
  }

  runners::Children children_;
  int port_ = 0;
  bool ready_ = false;
};

/// A real `git daemon` that serves everything below a directory.
class GitDaemon {
 public:
  explicit GitDaemon(const fs::path& base) {
    server_.start({"/usr/bin/git", "daemon", "--reuseaddr", "--export-all", "--informative-errors",
                   "--listen=127.0.0.1", "--port=" + std::to_string(server_.port()),
                   "--base-path=" + base.string(), base});
  }

  [[nodiscard]] bool ready() const { return server_.ready(); }
  [[nodiscard]] int port() const { return server_.port(); }
  [[nodiscard]] std::string url(const std::string& name) const {
    return "git://127.0.0.1:" + std::to_string(server_.port()) + "/" + name;
  }

 private:
  ServerProcess server_;
};

/// Passes bytes between a client and a server until `most` of the answer have passed; those left over.
inline std::size_t relay(int client, int port, std::size_t most = std::numeric_limits<std::size_t>::max()) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
    std::vector<char> bytes(65536);
    pollfd both[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    while (most > 0 && ::poll(both, 2, -1) > 0) {
      const bool answer = (both[1].revents & (POLLIN | POLLHUP)) != 0;
      const auto got = ::read(answer ? server : client, bytes.data(),
                              answer ? std::min(most, bytes.size()) : bytes.size());
      if (got <= 0 || ::write(answer ? client : server, bytes.data(), static_cast<std::size_t>(got)) != got)
        break;
      if (answer) most -= static_cast<std::size_t>(got);
    }
  }
  ::close(server);
  return most;
}

}  // namespace tandem::builders
