#include <stdlib.h>

#include "builders/hg/repository.hpp"
#include "repository_fixture.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::builders {
namespace {

class HgSourceTest : public HgTest {
 protected:
  std::string message_of(const std::string& repo_dir, const std::string& branch = {}) {
    try {
      return "resolved to " + source_of(repo_dir, branch).url;
    } catch (const InputError& error) {
      return error.what();
    }
  }
};

TEST_F(HgSourceTest, TakesUrlsOfTheKindsThatMercurialFetches) {
  const Source source = source_of("https://t:s@example.org/x");
  EXPECT_EQ(source.url, "https://t:s@example.org/x");
  EXPECT_EQ(source.shown, "https://example.org/x");
  EXPECT_EQ(source.kind, Source::Kind::hg);
  EXPECT_EQ(message_of("ssh://hg@example.org/x"), "resolved to ssh://hg@example.org/x");
  EXPECT_NE(message_of("git://example.org/x").find("cannot fetch by git://"), std::string::npos);
  EXPECT_NE(message_of("hg@example.org:x").find("ssh://user@host/path"), std::string::npos);
  EXPECT_NE(message_of("https://example.org/x\n[hooks]").find("control character"), std::string::npos);
}

TEST_F(HgSourceTest, UsesTheRepositoryItselfWithoutADefaultPath) {
  commit("a", "1");
  const std::string before = fingerprint(upstream_);
  EXPECT_EQ(source_of(upstream_).url, upstream_.string());
  EXPECT_EQ(source_of(upstream_.string() + "/").url, upstream_.string());
  EXPECT_EQ(fingerprint(upstream_), before);
}

TEST_F(HgSourceTest, UsesTheDefaultPathOfACloneAndItsHistoryAsSeed) {
  commit("a", "1");
  const fs::path clone = temporary_.path() / "clone";
  hg({"clone", "--quiet", upstream_.string(), clone.string()}, temporary_.path());
  EXPECT_EQ(source_of(clone).url, upstream_.string());
  EXPECT_EQ(source_of(clone).seed, clone);
  write(clone / ".hg/hgrc", "# mine\n[ui]\ndefault = no\n[paths]\nother = /x\ndefault = ../upstream\n");
  EXPECT_EQ(source_of(clone).url, upstream_.string());
  write(clone / ".hg/hgrc", "[paths]\ndefault=https://example.org/hg\n");
  EXPECT_EQ(source_of(clone).url, "https://example.org/hg");
  write(clone / ".hg/hgrc", "[paths]\ndefault = ../gone\n");
  EXPECT_NE(message_of(clone).find("not there any more"), std::string::npos);
}

TEST_F(HgSourceTest, ReadsAShareOfARepository) {
  const std::string first = commit("a", "1");
  const fs::path share = temporary_.path() / "share";
  hg({"--config", "extensions.share=", "share", "--quiet", upstream_.string(), share.string()},
     temporary_.path());
  const std::string before = fingerprint(upstream_);
  EXPECT_EQ(fetched(share).id, first);
  EXPECT_EQ(fingerprint(upstream_), before);
}

TEST_F(HgSourceTest, NamesTheBranchesThatThereAre) {
  commit("a", "1");
  hg({"branch", "--quiet", "stable"});
  commit("a", "2");
  hg({"bookmark", "next"});
  const std::string message = message_of(upstream_, "main");
  EXPECT_NE(message.find("no branch 'main'; it has"), std::string::npos) << message;
  for (const char* name : {"default", "stable", "next"}) {
    EXPECT_NE(message.find(name), std::string::npos) << message;
  }
}

TEST_F(HgSourceTest, RefusesWhatIsNoRepository) {
  EXPECT_NE(message_of(temporary_.path()).find("is not a Mercurial repository"), std::string::npos);
  EXPECT_NE(message_of("/nonexistent/x").find("is not a Mercurial repository"), std::string::npos);
}

TEST_F(HgSourceTest, SaysWhatToInstall) {
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", "/nonexistent", 1);
  EXPECT_EQ(message_of("https://example.org/x"), "mercurial is not installed; apt install mercurial");
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(HgSourceTest, KeepsPasswordsOutOfTheUrlThatHgIsGiven) {
  Source source;
  source.url = "https://me:p%40ss%0A@example.org:8443/x";
  const auto access = hg::access_of(source);
  EXPECT_NE(access.settings.find("source = https://example.org:8443/x\n"), std::string::npos);
  EXPECT_NE(access.settings.find("source.prefix = example.org:8443/x\n"), std::string::npos);
  EXPECT_NE(access.settings.find("source.password = p@ss\n"), std::string::npos) << access.settings;
  EXPECT_EQ(access.password, "p@ss");
  source.url = "ssh://hg@example.org/x";
  source.key_file = "/keys/it's";
  EXPECT_NE(hg::access_of(source).settings.find(
                "ssh = ssh -i '/keys/it'\\''s' -o IdentitiesOnly=yes -o BatchMode=yes\n"),
            std::string::npos);
}

}  // namespace
}  // namespace tandem::builders
