#pragma once

#include <fmt/format.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "loopback.hpp"
#include "repository_fixture.hpp"

namespace tandem::builders {

/// Sets a variable of this process, and so of the fetching child, until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_) ::setenv(name_, old_->c_str(), 1);
    if (!old_) ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

/// Runs a tool of the test to its end; false if it is missing or failed.
inline bool run(const std::vector<std::string>& argv, std::vector<std::string> environment = {}) {
  runners::Command command;
  command.argv = argv;
  command.environment = git_environment();
  command.environment.insert(command.environment.end(), environment.begin(), environment.end());
  return run_command(command, {}).succeeded();
}

inline void write_secret(const fs::path& file, const std::string& text) {
  write(file, text);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

/// lighttpd with git's own CGI program. Everything below `/git/` wants the user ada with the password
/// opensesame.
class HttpServer {
 public:
  enum class Tls { no, yes };

  HttpServer(const fs::path& base, Tls tls = Tls::no) : tls_(tls), certificate_(base / "http/server.pem") {
    const fs::path folder = base / "http";
    write(folder / "users", "ada:opensesame\n");
    std::string config = fmt::format(R"(
server.modules = ("mod_alias", "mod_auth", "mod_authn_file", "mod_cgi", "mod_setenv")
server.document-root = "{0}"
server.bind = "127.0.0.1"
server.port = {1}
server.errorlog = "{0}/error.log"
server.upload-dirs = ("{0}")
alias.url = ("/git/" => "/usr/lib/git-core/git-http-backend/", "/open/" => "/usr/lib/git-core/git-http-backend/")
cgi.assign = ("" => "")
setenv.add-environment = ("GIT_PROJECT_ROOT" => "{2}", "GIT_HTTP_EXPORT_ALL" => "1", "HOME" => "/nonexistent")
auth.backend = "plain"
auth.backend.plain.userfile = "{0}/users"
auth.require = ("/git/" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
)",
                                     folder.string(), server_.port(), base.string());
    if (tls == Tls::yes) {
      const fs::path key = folder / "key.pem";
      if (!run({"/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj",
                "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key,
                "-out", certificate_})) {
        return;
      }
      config += fmt::format(
          "server.modules += (\"mod_openssl\")\nssl.engine = \"enable\"\nssl.pemfile = \"{}\"\n"
          "ssl.privkey = \"{}\"\n",
          certificate_.string(), key.string());
    }
    write(folder / "lighttpd.conf", config);
    server_.start({"/usr/sbin/lighttpd", "-D", "-f", folder / "lighttpd.conf"});
  }

  [[nodiscard]] bool ready() const { return server_.ready(); }
  [[nodiscard]] const fs::path& certificate() const { return certificate_; }

  /// `login` is empty or ends with '@'; `path` is git/NAME or open/NAME.
  [[nodiscard]] std::string url(const std::string& path, const std::string& login = {}) const {
    return fmt::format("{}://{}{}:{}/{}", tls_ == Tls::yes ? "https" : "http", login,
                       tls_ == Tls::yes ? "localhost" : "127.0.0.1", server_.port(), path);
  }

 private:
  ServerProcess server_;
  Tls tls_;
  fs::path certificate_;
};

/// A real sshd that lets one key in.
class SshServer {
 public:
  explicit SshServer(const fs::path& base) : folder_(base / "ssh") {
    fs::create_directories(folder_ / "home/.ssh");
    const passwd* user = ::getpwuid(::geteuid());
    if (user == nullptr || std::string_view(user->pw_shell).ends_with("nologin")) return;
    for (const char* name : {"host", "user", "stranger"}) {
      if (!run({"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder_ / name}))
        return;
    }
    fs::copy_file(folder_ / "user.pub", folder_ / "authorized");
    write(
        folder_ / "config",
        fmt::format("Port {}\nListenAddress 127.0.0.1\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n"
                    "StrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                    "PermitRootLogin prohibit-password\nMaxAuthTries 20\n",
                    server_.port(), (folder_ / "host").string(), (folder_ / "authorized").string()));
    // Only root needs this one, which a running system has anyway.
    std::error_code ignored;
    if (::geteuid() == 0) fs::create_directory("/run/sshd", ignored);
    server_.start({"/usr/sbin/sshd", "-D", "-e", "-f", folder_ / "config"});
  }

  [[nodiscard]] bool ready() const { return server_.ready(); }
  [[nodiscard]] fs::path key(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] fs::path home() const { return folder_ / "home"; }
  [[nodiscard]] std::string url(const fs::path& repository) const {
    return fmt::format("ssh://{}@127.0.0.1:{}{}", ::getpwuid(::geteuid())->pw_name, server_.port(),
                       repository.string());
  }

  /// Writes the key `name` as the server's into known_hosts.
  void make_known(const std::string& name = "host") const {
    write(home() / ".ssh/known_hosts",
          fmt::format("[127.0.0.1]:{} {}", server_.port(), read(folder_ / (name + ".pub"))));
  }

 private:
  ServerProcess server_;
  fs::path folder_;
};

/// A real `hg serve` of one repository.
class HgServer {
 public:
  explicit HgServer(const fs::path& repository) {
    server_.start({"/usr/bin/hg", "serve", "-R", repository, "--address", "127.0.0.1", "--port",
                   std::to_string(server_.port()), "--accesslog", "/dev/null", "--errorlog", "/dev/null"},
                  hg_environment());
  }
  [[nodiscard]] bool ready() const { return server_.ready(); }
  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/", server_.port()); }

 private:
  ServerProcess server_;
};

}  // namespace tandem::builders
