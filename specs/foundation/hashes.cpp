#include "specs/foundation/hashes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>
#include <vector>

#include "specs/foundation/descriptor.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem {
namespace fs = std::filesystem;

struct Hash::Context {
  EVP_MD_CTX* digest = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(digest); }
};

Hash::Hash(const char* algorithm) : context_(std::make_unique<Context>()) {
  const EVP_MD* kind = EVP_get_digestbyname(algorithm);
  // A host whose policy forbids MD5 refuses here.
  if (context_->digest == nullptr || kind == nullptr ||
      EVP_DigestInit_ex(context_->digest, kind, nullptr) != 1) {
    throw Error(fmt::format("this host's OpenSSL does not offer {}", algorithm));
  }
}

Hash::~Hash() = default;

void Hash::add(std::string_view bytes) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  do {
    StopScope::give_up_if_stopped();
    const auto next = bytes.substr(0, piece);
    if (EVP_DigestUpdate(context_->digest, next.data(), next.size()) != 1)
      throw Error("OpenSSL cannot compute a hash");
    bytes.remove_prefix(next.size());
  } while (!bytes.empty());
}

void Hash::add_field(std::string_view bytes) {
  add(fmt::format("{}:", bytes.size()));
  add(bytes);
}

std::string Hash::finish() {
  unsigned char value[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_DigestFinal_ex(context_->digest, value, &length) != 1) throw Error("OpenSSL cannot compute a hash");
  std::string text;
  for (unsigned i = 0; i < length; ++i) text += fmt::format("{:02x}", value[i]);
  return text;
}

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string sha256_of_file(const fs::path& file) {
  const auto fail = [&] {
    throw std::system_error(errno, std::generic_category(), "cannot read " + file.string());
  };
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) fail();
  std::vector<char> buffer(std::size_t{1} << 18);
  Sha256 hash;
  while (true) {
    const ssize_t got = ::read(descriptor.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail();
    if (got == 0) return hash.finish();
    hash.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

std::string sha256_of_folder(const fs::path& folder) {
  std::map<std::string, std::string> entries;
  if (fs::exists(folder)) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      std::string& value = entries[fs::relative(entry.path(), folder).string()];
      const fs::file_status status = entry.symlink_status();
      if (fs::is_symlink(status)) {
        value = "link " + fs::read_symlink(entry.path()).string();
      } else if (fs::is_regular_file(status)) {
        const bool executable = (status.permissions() & fs::perms::owner_exec) != fs::perms::none;
        value = (executable ? "program " : "data ") + sha256_of_file(entry.path());
      } else {
        value = "other";
      }
    }
  }
  Sha256 hash;
  for (const auto& [path, value] : entries) {
    hash.add_field(path);
    hash.add_field(value);
  }
  return hash.finish();
}

}  // namespace tandem
