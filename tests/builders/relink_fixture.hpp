#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "builders/layout/link_capture.hpp"
#include "repository_fixture.hpp"

namespace tandem::builders {

/// Tests with real builds: a source directory, a directory `out` where programs are left, and the wrapper in
/// front of the linkers.
class RelinkTest : public testing::Test {
 protected:
  RelinkTest();
  void SetUp() override;

  void write_source(const std::string& name, const std::string& text) const;
  /// A program of `count` functions in one file, which prints one line.
  void write_program(const std::string& name, int count, const std::string& line = "sum") const;

  struct Ended {
    bool well = false;
    std::string output;
    std::string errors;
  };
  /// Runs a shell script in the source directory as a build would, with the capture in its environment.
  Ended build(const std::string& script) const;
  /// The same, expected to succeed.
  void built(const std::string& script) const;
  static Ended run(const fs::path& program);

  LinkCapture::Kept collect() const { return capture_.collect(out_); }
  /// A fresh copy of `out` relinked; the second is the sentence, if there is one.
  struct Relinked {
    fs::path directory;
    std::string sentence;
  };
  Relinked relinked(const fs::path& links, std::uint64_t seed);
  /// How many finished links stand in the capture directory.
  std::size_t captured() const;

  TemporaryDirectory folder_;
  fs::path source_ = folder_.path() / "source";
  fs::path out_ = folder_.path() / "out";
  fs::path captures_ = folder_.path() / "links";
  LinkCapture capture_;
  int copies_ = 0;
};

/// A program whose behaviour hangs on everything that an order must not change: exceptions, thread-local
/// variables, static initialisers in two files, a stream.
[[nodiscard]] std::string delicate_program();
[[nodiscard]] std::string delicate_part();

[[nodiscard]] bool has_program(const std::string& name);

}  // namespace tandem::builders
