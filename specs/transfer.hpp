#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "specs/http_answer.hpp"
#include "specs/partial_file.hpp"

namespace tandem::specs {

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
