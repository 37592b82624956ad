#include "specs/digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "specs/error.hpp"
#include "specs/owned_file.hpp"

namespace tandem::specs {
namespace {

class Hash {
 public:
  explicit Hash(const EVP_MD* kind) : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    // A host whose policy forbids MD5 refuses here.
    if (!context_ || EVP_DigestInit_ex(context_.get(), kind, nullptr) != 1) {
      throw Error(fmt::format("this host's OpenSSL does not offer {}", EVP_MD_get0_name(kind)));
    }
  }

  void add(std::string_view bytes) {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) throw Error("OpenSSL cannot hash");
  }

  [[nodiscard]] std::string finish() {
    unsigned char value[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context_.get(), value, &length) != 1) throw Error("OpenSSL cannot hash");
    std::string text;
    for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", value[i]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

class Hashes {
 public:
  explicit Hashes(const Digests& like) {
    if (!like.md5.empty()) md5_.emplace(EVP_md5());
    if (!like.sha256.empty()) sha256_.emplace(EVP_sha256());
  }

  void add(std::string_view bytes) {
    if (md5_) md5_->add(bytes);
    if (sha256_) sha256_->add(bytes);
  }

  [[nodiscard]] Digests finish() { return {md5_ ? md5_->finish() : "", sha256_ ? sha256_->finish() : ""}; }

 private:
  std::optional<Hash> md5_;
  std::optional<Hash> sha256_;
};

bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

Digests digests_of(std::string_view text) {
  Hashes hashes({"wanted", "wanted"});
  hashes.add(text);
  return hashes.finish();
}

std::optional<Digests> digests_of_file(const std::filesystem::path& file, const Digests& like,
                                       const std::stop_token& stop) {
  const auto fail = [&] {
    throw Error(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  };
  if (like.none()) return Digests();
  const OwnedFile input(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) fail();
  Hashes hashes(like);
  std::vector<char> buffer(std::size_t{1} << 18);
  while (!stop.stop_requested()) {
    const ssize_t got = ::read(input.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) return hashes.finish();
    hashes.add({buffer.data(), static_cast<std::size_t>(got)});
  }
  return std::nullopt;
}

bool is_md5(std::string_view text) {
  return is_hexadecimal(text, 32);
}
bool is_sha256(std::string_view text) {
  return is_hexadecimal(text, 64);
}

}  // namespace tandem::specs
