#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/paths.hpp"

namespace tandem::tests {

/// The text equals the file of that name under golden/. TANDEM_UPDATE_GOLDEN=1 writes the file instead.
inline void expect_golden(const std::string& text, const std::string& name) {
  const std::filesystem::path file =
      std::filesystem::path(paths::source) / "tests/daemon/report/golden" / name;
  if (const char* update = std::getenv("TANDEM_UPDATE_GOLDEN");
      update != nullptr && std::string(update) == "1") {
    std::ofstream(file, std::ios::binary) << text;
  }
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(stream) << file << " is missing; TANDEM_UPDATE_GOLDEN=1 writes it";
  std::ostringstream wanted;
  wanted << stream.rdbuf();
  EXPECT_EQ(text, wanted.str()) << "in " << file;
}

}  // namespace tandem::tests
