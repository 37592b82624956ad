#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "runners/process/process.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::runners {

/// A test inside a real sandbox; skipped, with the reason, where the host has none.
class SandboxTest : public testing::Test {
 protected:
  void SetUp() override;

  /// A shell inside, with a writable directory /room of the test's own.
  [[nodiscard]] Command shell(const std::string& script) const;
  [[nodiscard]] static Finished run(const Command& command,
                                    std::chrono::milliseconds deadline = std::chrono::seconds{30});

  /// The processes of this host that were started by this test program and still run.
  [[nodiscard]] static std::vector<std::string> descendants();

  std::optional<SandboxTools> tools_;
  tests::TemporaryDirectory directory_;
};

}  // namespace tandem::runners
