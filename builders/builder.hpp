#pragma once

#include <cstdint>
#include <stop_token>
#include <variant>

#include "builders/build_failure.hpp"
#include "builders/build_script.hpp"
#include "builders/commit.hpp"
#include "builders/executable.hpp"
#include "builders/layout/layout.hpp"

namespace tandem::builders {

/// Makes one executable of one commit, for one platform.
class Builder {
 public:
  Builder() = default;
  virtual ~Builder() = default;
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// What may happen to a commit is the result; an unreadable mirror or a disk error throws
  /// Error.
  [[nodiscard]] virtual std::variant<Executable, BuildFailure> build(const Commit& commit,
                                                                     std::stop_token stop) = 0;

  /// The same executable in another layout: the order of its functions and data decided by `seed`. Made once
  /// by one linker call per program and kept beside it.
  [[nodiscard]] virtual std::variant<Executable, RelinkFailure> relink(const Executable& executable,
                                                                       std::uint64_t seed,
                                                                       std::stop_token stop) = 0;

  /// A layout that nobody will ask for again need not be kept. It stays if somebody else uses it.
  virtual void drop_layout(Executable /*layout*/) {}
};

/// Checks the commit out into a fresh tree and runs the framework's `build.sh <repo_dir> <dst>` on it, once.
/// The script's status decides, and `<dst>` must then be a program; files beside it are further programs.
/// Results are kept in the executable cache and taken from there. The same source gives the same bytes.
///
/// A build that ran out of memory is tried once more at once, with one job, if it had several; nothing else
/// is. Which failures may pass another time says may_pass_later. Not thread-safe; several may share a state
/// directory.
class ScriptBuilder final : public Builder {
 public:
  /// Removes what killed builds left in the state directory. Throws InputError if a generic framework is not
  /// told what to build.
  explicit ScriptBuilder(BuildSettings settings);

  [[nodiscard]] std::variant<Executable, BuildFailure> build(const Commit& commit,
                                                             std::stop_token stop) override;
  [[nodiscard]] std::variant<Executable, RelinkFailure> relink(const Executable& executable,
                                                               std::uint64_t seed,
                                                               std::stop_token stop) override;
  void drop_layout(Executable layout) override;

 private:
  BuildSettings settings_;
};

}  // namespace tandem::builders
