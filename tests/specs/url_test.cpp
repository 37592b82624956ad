#include "specs/files/file_spec.hpp"

#include <gtest/gtest.h>

namespace tandem::specs {
namespace {

TEST(Url, HasASchemeOrIsAPath) {
  EXPECT_EQ(scheme_of("http://host/file"), "http");
  EXPECT_EQ(scheme_of("HTTPS://host/file"), "https");
  EXPECT_EQ(scheme_of("s3+x://bucket"), "s3+x");
  for (const char* path : {"//models/file", "/file", "file", "../file", "a/b://c", "://x", ""}) {
    EXPECT_EQ(scheme_of(path), "") << path;
  }
}

TEST(Url, IsShownWithoutItsSecrets) {
  EXPECT_EQ(shown_url("https://host/a/b.pb"), "https://host/a/b.pb");
  EXPECT_EQ(shown_url("https://me:secret@host/a"), "https://host/a");
  EXPECT_EQ(shown_url("https://me:se@cret@host:81/a"), "https://host:81/a");
  EXPECT_EQ(shown_url("https://host/a?token=secret"), "https://host/a?…");
  EXPECT_EQ(shown_url("https://host/a#secret"), "https://host/a?…");
  EXPECT_EQ(shown_url("https://host/a@b"), "https://host/a@b");
  EXPECT_EQ(shown_url("https://me:secret@host"), "https://host");
  EXPECT_EQ(shown_url("https://me:secret@host?x"), "https://host?…");
}

TEST(Url, IsFollowedToTheSameOrASaferScheme) {
  EXPECT_FALSE(refused_redirect("http://a/x", "http://b/y"));
  EXPECT_FALSE(refused_redirect("http://a/x", "https://b/y"));
  EXPECT_FALSE(refused_redirect("https://a/x", "https://b/y"));
}

TEST(Url, IsNotFollowedToAnotherScheme) {
  EXPECT_TRUE(refused_redirect("https://a/x", "http://b/y"));
  EXPECT_TRUE(refused_redirect("http://a/x", "file:///etc/passwd"));
  EXPECT_TRUE(refused_redirect("http://a/x", "ftp://b/y"));
  EXPECT_TRUE(refused_redirect("https://a/x", "gopher://b/y"));
  EXPECT_TRUE(refused_redirect("http://a/x", "/etc/passwd"));
}

TEST(Url, OfAFileHasAPath) {
  EXPECT_EQ(path_of_file_url("file:///folder/a%20file"), "/folder/a file");
  EXPECT_EQ(path_of_file_url("FILE://localhost/a"), "/a");
  for (const char* none :
       {"file://other/a", "file://a", "file:///a%2", "file:///a%zz", "file:///a%+1", "http:///a"}) {
    EXPECT_EQ(path_of_file_url(none), std::nullopt) << none;
  }
}

}  // namespace
}  // namespace tandem::specs
