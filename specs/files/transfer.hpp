#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "specs/files/download.hpp"

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

/// How one request ended.
struct TransferEnd {
  enum class How {
    complete,      ///< the answer brought all it announced
    other_answer,  ///< not the file: see `answer`
    broken,        ///< connection, time-out; another try may help
    refused,       ///< this host or its settings: certificate, disk; another try does not help
    bad_url,
    stopped
  };
  How how = How::broken;
  HttpAnswer answer;
  std::string redirect;  ///< where the answer points to, if it is a redirect
  std::string what;      ///< of what is broken, refused or bad: half a sentence
};

/// One GET after another into one partial file, over one connection where that is possible: the only user of
/// libcurl here.
class Transfer {
 public:
  Transfer(PartialFile& file, std::chrono::seconds stall);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Asks for the rest of the file, or for all of it if nothing can be continued. `progress` is called in
  /// this thread between pieces.
  [[nodiscard]] TransferEnd get(const std::string& url, const std::function<void()>& progress,
                                const std::stop_token& stop);

 private:
  struct Curl;
  std::unique_ptr<Curl> curl_;
};

}  // namespace tandem::specs
