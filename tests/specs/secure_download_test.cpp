// Downloads over HTTPS, with a certificate made for the test.
#include <cstdlib>

#include "model_files_fixture.hpp"

namespace tandem::specs {
namespace {

class SecureDownloadTest : public ModelFilesTest {
 protected:
  void SetUp() override {
    const std::string made = certificate().string();
    const std::string command =
        "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 "
        "-addext subjectAltName=IP:127.0.0.1 -keyout '" +
        made + ".key' -out '" + made + ".crt' 2>/dev/null && cat '" + made + ".crt' '" + made + ".key' > '" +
        made + "'";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "there is no openssl command";
    content_ = serve("net", 10'000);
    secure_.emplace("file_server.py",
                    std::vector<std::string>{"--root", served().string(), "--certificate", made});
    settings_.tries = 1;
  }
  void TearDown() override { ::unsetenv("SSL_CERT_FILE"); }

  [[nodiscard]] std::filesystem::path certificate() const { return directory_.path() / "certificate"; }
  void trust() const { ::setenv("SSL_CERT_FILE", (certificate().string() + ".crt").c_str(), 1); }
  [[nodiscard]] std::string secure_url(const std::string& path) const {
    return "https://127.0.0.1:" + std::to_string(secure_->port()) + path;
  }

  std::string content_;
  std::optional<tests::ServerProcess> secure_;
};

TEST_F(SecureDownloadTest, BringsAFileFromAServerItTrusts) {
  trust();
  EXPECT_TRUE(content_of(provide(at_url(secure_url("/ranges/net")))) == content_);
}

TEST_F(SecureDownloadTest, RefusesAServerItDoesNotTrust) {
  settings_.tries = 3;
  const FileFailure failure = fail(at_url(secure_url("/ranges/net")));
  EXPECT_EQ(failure.reason, Reason::unavailable);
  EXPECT_NE(failure.what.find("certificate"), std::string::npos) << failure.what;
  EXPECT_EQ(failure.what.find("tries"), std::string::npos) << failure.what;
  EXPECT_FALSE(std::filesystem::exists(place()));
}

TEST_F(SecureDownloadTest, IsLedToAServerThatIsSafer) {
  trust();
  EXPECT_TRUE(content_of(provide(at("/elsewhere?" + secure_url("/ranges/net")))) == content_);
}

TEST_F(SecureDownloadTest, IsNotLedBackToAServerThatIsNot) {
  trust();
  const std::string plain = server_.url("/ranges/net");
  // Over two steps as well, where the first one was allowed.
  for (const FileSpec& file :
       {at_url(secure_url("/elsewhere?" + plain)), at("/elsewhere?" + secure_url("/elsewhere?" + plain))}) {
    const FileFailure failure = fail(file);
    EXPECT_EQ(failure.reason, Reason::wrong);
    EXPECT_NE(failure.what.find("points to " + plain), std::string::npos) << failure.what;
    EXPECT_FALSE(std::filesystem::exists(place()));
  }
}

}  // namespace
}  // namespace tandem::specs
