#include "builders/build_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>

#include "specs/foundation/names.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;
using BuildFailureKind = BuildFailure::Kind;

constexpr Name<BuildFailureKind> failure_names[] = {{BuildFailureKind::source, "source"},
                                                    {BuildFailureKind::timed_out, "timed_out"},
                                                    {BuildFailureKind::memory, "memory"},
                                                    {BuildFailureKind::disk, "disk"},
                                                    {BuildFailureKind::disk_limit, "disk_limit"},
                                                    {BuildFailureKind::processes, "processes"},
                                                    {BuildFailureKind::output, "output"},
                                                    {BuildFailureKind::sandbox, "sandbox"},
                                                    {BuildFailureKind::not_a_program, "not_a_program"},
                                                    {BuildFailureKind::script_missing, "script_missing"},
                                                    {BuildFailureKind::checkout, "checkout"},
                                                    {BuildFailureKind::fetch, "fetch"},
                                                    {BuildFailureKind::mirror, "mirror"},
                                                    {BuildFailureKind::too_large, "too_large"},
                                                    {BuildFailureKind::unexpected, "unexpected"},
                                                    {BuildFailureKind::stopped, "stopped"}};

bool is_kind_among(BuildFailureKind kind, std::initializer_list<BuildFailureKind> kinds) {
  return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

}  // namespace

const char* name_of(BuildFailureKind kind) {
  return name_in(failure_names, kind);
}

bool is_of_host(BuildFailureKind kind) {
  return is_kind_among(kind, {BuildFailureKind::disk, BuildFailureKind::mirror, BuildFailureKind::sandbox,
                              BuildFailureKind::script_missing});
}

bool may_pass_later(BuildFailureKind kind) {
  return is_of_host(kind) || is_kind_among(kind, {BuildFailureKind::fetch, BuildFailureKind::too_large,
                                                  BuildFailureKind::unexpected, BuildFailureKind::stopped});
}

fs::path build_log(const fs::path& state_dir, const std::string& commit, const std::string& platform) {
  std::string flat = platform;
  std::replace(flat.begin(), flat.end(), '/', '-');
  return fs::absolute(state_dir) / "logs" / fmt::format("build-{}-{}.log", commit, flat);
}

std::string last_lines(const fs::path& log) {
  constexpr std::streamoff most_bytes = 8192;
  constexpr std::ptrdiff_t most_lines = 20;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::streamoff>(file.tellg());
  file.seekg(std::max<std::streamoff>(0, size - most_bytes));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\n')) text.pop_back();
  auto from = text.size();
  for (std::ptrdiff_t line = 0; line < most_lines && from != std::string::npos && from != 0; ++line) {
    from = text.rfind('\n', from - 1);
  }
  if (from != std::string::npos && from != 0) text.erase(0, from + 1);
  return printable(text, text.size() * 3, Lines::many);
}

bool tells_of_memory(const std::string& last_lines) {
  // gcc; clang and the linkers name the signal, allocators say the last.
  for (const char* words : {"Killed signal terminated program", "killed by signal 9",
                            "unable to execute command: Killed", "virtual memory exhausted"}) {
    if (last_lines.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace tandem::builders
