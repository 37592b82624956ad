#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "runners/process/process.hpp"

namespace tandem::specs::example {

/// The command's end; its program is looked up in PATH. CXX, CXXFLAGS, LDFLAGS and every git variable of the
/// caller are gone.
[[nodiscard]] runners::Finished run(std::vector<std::string> words,
                                    std::vector<std::string> more_environment = {});

struct Commit {
  std::string id;
  std::string parents;
  std::string subject;
  std::chrono::sys_seconds committed;
  runners::Finished build;
  std::filesystem::path executable;  ///< where build.sh was told to put it
  std::string bytes;                 ///< of the executable; empty if there is none
};

/// The example's history in a temporary directory, oldest commit first, with every commit built by build.sh.
class History {
 public:
  History();
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// Built at first use, for all tests.
  static const History& shared();

  [[nodiscard]] const std::vector<Commit>& commits() const { return commits_; }
  /// The place of the only commit with this subject.
  [[nodiscard]] std::size_t place(const std::string& subject) const;
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }
  /// The files of one commit.
  [[nodiscard]] std::filesystem::path tree(const Commit& commit) const { return directory_ / commit.id; }

 private:
  std::filesystem::path directory_;
  std::vector<Commit> commits_;
};

[[nodiscard]] runners::Finished make_history(const std::filesystem::path& destination,
                                             std::vector<std::string> more_environment = {});
/// `flags`: CXXFLAGS; empty: those of build.sh.
[[nodiscard]] runners::Finished build(const std::filesystem::path& tree,
                                      const std::filesystem::path& destination,
                                      const std::string& flags = {});
[[nodiscard]] std::string read(const std::filesystem::path& file);

}  // namespace tandem::specs::example
