#include <gtest/gtest.h>

#include <fstream>

#include "specs/files/cached_file.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::specs {
namespace {

struct Known {
  std::string text;
  const char* md5;
  const char* sha256;
};

// RFC 1321, A.5, and FIPS 180-2, appendix B.
const Known known[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e",
     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72",
     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {std::string(1'000'000, 'a'), "7707d6ae4e027c70eea2a935c2296f21",
     "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

class DigestTest : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(directory_.path() / "file", std::ios::binary) << text;
    return directory_.path() / "file";
  }

  tests::TemporaryDirectory directory_;
};

TEST_F(DigestTest, GivesThePublishedValues) {
  for (const Known& value : known) {
    Md5 md5;
    md5.add(value.text);
    EXPECT_EQ(md5.finish(), value.md5);
    EXPECT_EQ(sha256_of(value.text), value.sha256);
  }
}

TEST_F(DigestTest, GivesTheSameOfAFileThatIsReadInPieces) {
  for (const Known& value : known) {
    EXPECT_EQ(digests_of_file(write(value.text), {"x", "x"}, {}), (Digests{value.md5, value.sha256}));
  }
}

TEST_F(DigestTest, ComputesOnlyWhatIsAskedFor) {
  const auto file = write("abc");
  EXPECT_EQ(digests_of_file(file, {"x", ""}, {}), (Digests{known[1].md5, ""}));
  EXPECT_EQ(digests_of_file(file, {"", "x"}, {}), (Digests{"", known[1].sha256}));
}

TEST_F(DigestTest, EndsWithoutAValueWhenStopped) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(digests_of_file(write("abc"), {"x", "x"}, stop.get_token()), std::nullopt);
}

TEST_F(DigestTest, ThrowsIfThereIsNothingToRead) {
  EXPECT_THROW(static_cast<void>(digests_of_file(directory_.path() / "missing", {"x", ""}, {})), Error);
  EXPECT_THROW(static_cast<void>(digests_of_file(directory_.path(), {"x", ""}, {})), Error);
}

TEST_F(DigestTest, KnowsADigestFromOtherText) {
  EXPECT_TRUE(is_md5(known[0].md5));
  EXPECT_TRUE(is_sha256(known[0].sha256));
  EXPECT_FALSE(is_md5(known[0].sha256));
  EXPECT_FALSE(is_sha256(known[0].md5));
  EXPECT_FALSE(is_md5("D41D8CD98F00B204E9800998ECF8427E"));
  EXPECT_FALSE(is_md5("g41d8cd98f00b204e9800998ecf8427e"));
}

}  // namespace
}  // namespace tandem::specs
