#include "builders/toolchain.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>
#include <mutex>

#include "runners/process/process.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

constexpr const char* tools[] = {"c++",    "cc",      "g++",  "gcc", "clang++", "clang", "ld",
                                 "ld.lld", "ld.gold", "mold", "as",  "cmake",   "ninja", "make"};

/// What is linked into programs without being asked for; a security update changes it and no version line.
constexpr const char* linked_in[] = {"crt1.o", "libc_nonshared.a", "libgcc.a", "libstdc++.a", "libstdc++.so"};

runners::Finished ask(const fs::path& program, const std::string& question) {
  runners::Command command;
  command.argv = {program, question};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
  runners::Limits limits;
  limits.deadline = std::chrono::seconds{20};
  return run_command(command, limits);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Changes with the file, and costs a system call.
std::string stamp(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "none";
  return fmt::format("{} {} {}.{:09}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

std::string stamp_of_tools(const std::string& search_path) {
  std::string all = search_path;
  for (const char* name : tools) {
    const auto program = find_on_path(name, search_path);
    all += program ? fmt::format("\n{} {}", program->string(), stamp(*program)) : "\n none";
  }
  return all;
}

std::string describe_libraries(const fs::path& compiler) {
  Sha256 hash;
  for (const char* name : linked_in) {
    const fs::path file = first_line(ask(compiler, fmt::format("-print-file-name={}", name)).output);
    std::error_code ignored;
    hash.add_field(fs::is_regular_file(file, ignored) ? sha256_of_file(file) : "none");
  }
  return hash.finish();
}

std::string look(const std::string& search_path) {
  std::string text;
  for (const char* name : tools) {
    const auto program = find_on_path(name, search_path);
    text += fmt::format("{}: {}\n", name, program ? describe_program(*program) : "none");
  }
  if (const auto compiler = find_on_path("c++", search_path)) {
    text += fmt::format("libraries: {}\n", describe_libraries(*compiler));
  }
  return text;
}

}  // namespace

std::string describe_program(const fs::path& program) {
  const runners::Finished finished = ask(program, "--version");
  return fmt::format("{} {}", program.string(),
                     finished.succeeded() ? first_line(finished.output) : describe(finished));
}

std::string describe_toolchain(const std::string& search_path) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::string now = stamp_of_tools(search_path);
  const std::lock_guard lock(mutex);
  const auto [place, added] = known.try_emplace(now);
  if (added) place->second = look(search_path);
  return place->second;
}

}  // namespace tandem::builders
