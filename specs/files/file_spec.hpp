#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "specs/json/problem.hpp"

namespace tandem::specs {

/// What turns a text into results: a name of the registry (runners/results/adapter.hpp) and its arguments.
struct ConverterSpec {
  std::string name;
  std::map<std::string, std::string> args;  ///< such as "identifier"
};

/// A file that a benchmark reads or writes.
struct FileSpec {
  enum class Role { read, written };
  Role role = Role::read;
  std::string key;       ///< as placeholders name it: "files.graph", "input_files.images"
  std::string filename;  ///< without folders
  /// Where it comes from, or of a written one where the program leaves it: a URL, a path under the model
  /// root ("//…"), a path relative to `file`, an absolute one, or one that begins with a directory of the
  /// runner ("{HOSTDIR}/…"). All other placeholders are replaced.
  std::string location;
  std::string md5;          ///< in lower case; empty: not given
  std::string sha256;       ///< in lower case; empty: not given
  ConverterSpec converter;  ///< of a written one that holds results
  std::string file;         ///< the spec
  Position where;           ///< in it
};

/// A command that runs beside the benchmark and is not measured.
struct HostCommand {
  std::string text;  ///< with the runner's placeholders
  std::optional<std::chrono::duration<double>> timeout;
  std::map<std::string, std::string> env;
  int tries = 1;  ///< in all, while it fails
  bool ignore_status = false;
};

}  // namespace tandem::specs
