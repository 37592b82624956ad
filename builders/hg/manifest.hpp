#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "builders/repository.hpp"

namespace tandem::builders::hg {

/// Ends a checkout from any depth.
struct Refusal {
  CheckoutFailure failure;
};

/// A file that the commit holds, with what its id is made of besides its content.
struct TreeFile {
  enum class Type { plain, executable, link };
  std::string path;
  std::string node;  ///< SHA-1 of the parents, `before` and the content
  Type type = Type::plain;
  std::string parents;  ///< 40 bytes, the smaller id first
  std::string before;   ///< where it was copied from, as hg stores it; mostly empty
};

/// The files of a commit, proven: the commit's id is computed from what hg gives as its text and parents, the
/// manifest's id likewise. So is the content of each file later. Paths are inside the tree, no file is also a
/// directory. Throws Refusal.
[[nodiscard]] std::vector<TreeFile> proven_files(const std::filesystem::path& mirror,
                                                 const std::string& commit, const std::stop_token& stop);

/// SHA-1 in pieces, as 40 hexadecimal digits.
class Sha1 {
 public:
  Sha1();
  ~Sha1();
  Sha1(const Sha1&) = delete;
  Sha1& operator=(const Sha1&) = delete;
  void add(std::string_view bytes);
  [[nodiscard]] std::string finish();

 private:
  void* context_;
};

}  // namespace tandem::builders::hg
