#include "builders/hg/manifest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "builders/hg/program.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders::hg {
namespace {

namespace fs = std::filesystem;
using CheckoutKind = CheckoutFailure::Kind;
using runners::Finished;

constexpr std::size_t id_digits = 40;
constexpr std::size_t most_manifest_entries = 2'000'000;
constexpr std::ptrdiff_t deepest_folder = 200;

[[noreturn]] void refuse_manifest(CheckoutKind kind, const std::string& sentence) {
  throw Refusal{{kind, sentence}};
}

[[noreturn]] void not_sound(const std::string& commit, const char* what) {
  refuse_manifest(CheckoutKind::corrupt, fmt::format("commit {} in the mirror is damaged: {}", commit, what));
}

std::string bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hexadecimal.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hexadecimal.data() + i, hexadecimal.data() + i + 2, value, 16);
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

/// What tandem-witness prints for one id: "PARENT PARENT LENGTH\n", so many bytes, "\n".
struct Block {
  std::string parents;
  std::string_view bytes;

  [[nodiscard]] std::string id() const {
    Sha1 hash;
    hash.add(parents);
    hash.add(bytes);
    return hash.finish();
  }
};

class Blocks {
 public:
  Blocks(std::string_view text, const std::string& commit) : rest_(text), commit_(commit) {}

  Block next() {
    const std::string_view head = rest_.substr(0, rest_.find('\n'));
    constexpr std::size_t before_length = 2 * (id_digits + 1);
    if (head.size() <= before_length || !is_node(head.substr(0, id_digits)) ||
        !is_node(head.substr(id_digits + 1, id_digits))) {
      not_sound(commit_, "hg's account of it ends early");
    }
    std::string_view smaller = head.substr(0, id_digits);
    std::string_view larger = head.substr(id_digits + 1, id_digits);
    if (larger < smaller) std::swap(smaller, larger);
    std::size_t length = 0;
    std::from_chars(head.data() + before_length, head.data() + head.size(), length);
    rest_.remove_prefix(head.size());
    if (rest_.size() < 2 || length > rest_.size() - 2) not_sound(commit_, "hg's account of it ends early");
    Block block{bytes_of(smaller) + bytes_of(larger), rest_.substr(1, length)};
    rest_.remove_prefix(length + 2);
    return block;
  }

 private:
  std::string_view rest_;
  const std::string& commit_;
};

void check_path(const std::string& path, const std::unordered_set<std::string>& files) {
  const auto unsafe = [&] {
    refuse_manifest(
        CheckoutKind::unsafe_path,
        fmt::format("the commit holds the path '{}', which is not allowed in a tree", printable(path, 500)));
  };
  if (std::count(path.begin(), path.end(), '/') > deepest_folder) {
    refuse_manifest(CheckoutKind::too_large, "the commit's directories are nested too deeply");
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    std::string name = path.substr(begin, end - begin);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (name.empty() || name == "." || name == ".." || name == ".hg" || name == ".git") unsafe();
    // A file, perhaps a link, that would also be a directory.
    if (end < path.size() && files.contains(path.substr(0, end))) unsafe();
    begin = end + 1;
  }
  if (path.starts_with(".hglf/")) {
    refuse_manifest(
        CheckoutKind::large_files,
        fmt::format("largefiles is not supported: '{}' stands for a large file", printable(path, 500)));
  }
}

TreeFile::Type type_of(std::string_view flags, const std::string& commit) {
  if (flags.empty()) return TreeFile::Type::plain;
  if (flags == "x") return TreeFile::Type::executable;
  if (flags == "l") return TreeFile::Type::link;
  not_sound(commit, "a file has flags that are not known");
}

/// Lines "path NUL id flags".
std::vector<TreeFile> parse(std::string_view manifest, const std::string& commit) {
  std::vector<TreeFile> files;
  while (!manifest.empty()) {
    const auto end = manifest.find('\n');
    const std::string_view line = manifest.substr(0, end);
    const auto nul = line.find('\0');
    if (end == std::string_view::npos || nul == std::string_view::npos ||
        !is_node(line.substr(nul + 1, id_digits))) {
      not_sound(commit, "its manifest has another form");
    }
    TreeFile file;
    file.path = line.substr(0, nul);
    file.node = line.substr(nul + 1, id_digits);
    file.type = type_of(line.substr(nul + 1 + id_digits), commit);
    files.push_back(std::move(file));
    if (files.size() > most_manifest_entries)
      refuse_manifest(CheckoutKind::too_large, "the commit holds too many files");
    manifest.remove_prefix(end + 1);
  }
  return files;
}

}  // namespace

Sha1::Sha1() : context_(EVP_MD_CTX_new()) {
  if (context_ == nullptr ||
      EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha1(), nullptr) != 1) {
    throw Error("cannot compute SHA-1");
  }
}
Sha1::~Sha1() {
  EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_));
}
void Sha1::add(std::string_view bytes) {
  EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size());
}
std::string Sha1::finish() {
  unsigned char value[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), value, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", value[i]);
  return text;
}

std::vector<TreeFile> proven_files(const fs::path& mirror, const std::string& commit,
                                   const std::stop_token& stop) {
  if (!is_node(commit)) not_sound(printable(commit, 80), "this is not a full commit id");
  Call call;
  call.arguments = {
      "--config", with_our_commands(our_folder(mirror)), "--hidden", "-R", mirror, "tandem-witness", commit};
  const Finished finished = run(call, stop);
  if (finished.how == Finished::How::stopped)
    refuse_manifest(CheckoutKind::stopped, "the checkout was stopped on request");
  if (finished.how == Finished::How::flooded)
    refuse_manifest(CheckoutKind::too_large, "the commit holds too many files");
  if (!finished.succeeded()) not_sound(commit, reason(finished).c_str());

  Blocks blocks(finished.output, commit);
  const Block change = blocks.next();
  if (change.id() != commit) not_sound(commit, "its text has another id");
  const Block manifest = blocks.next();
  const std::string_view manifest_id = change.bytes.substr(0, id_digits);
  const bool empty = manifest_id == std::string(id_digits, '0') && manifest.bytes.empty();
  if (!empty && manifest.id() != manifest_id) not_sound(commit, "its manifest has another id");

  std::vector<TreeFile> files = parse(manifest.bytes, commit);
  std::unordered_set<std::string> paths;
  for (TreeFile& file : files) {
    const Block block = blocks.next();
    file.parents = block.parents;
    file.before = block.bytes;
    if (!paths.insert(file.path).second) not_sound(commit, "its manifest names a file twice");
  }
  for (const TreeFile& file : files) check_path(file.path, paths);
  return files;
}

}  // namespace tandem::builders::hg
