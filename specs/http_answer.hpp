#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::specs {

/// What the header of a server's answer says, as far as a download asks. Servers may say anything: what
/// cannot be read counts as not said.
class HttpAnswer {
 public:
  /// One line of the header; a status line begins a new answer.
  void add_line(std::string_view line);

  [[nodiscard]] int status() const { return status_; }

  /// Names the version for If-Range: a strong ETag, or else Last-Modified; empty if there is neither.
  [[nodiscard]] std::string validator() const;

  /// Of a part: where it begins in the file, and how long the file is.
  [[nodiscard]] std::optional<std::uint64_t> first() const { return first_; }
  [[nodiscard]] std::optional<std::uint64_t> total() const { return total_; }

 private:
  void read_content_range(std::string_view value);

  int status_ = 0;
  std::string etag_;
  std::string last_modified_;
  std::optional<std::uint64_t> first_;
  std::optional<std::uint64_t> total_;
};

/// What a download does after an answer without the file.
enum class AfterAnswer {
  redirect,
  begin_anew,  ///< there is no such range of the file
  try_again,   ///< the server has a bad moment
  give_up
};
[[nodiscard]] AfterAnswer after_answer(int status);

}  // namespace tandem::specs
