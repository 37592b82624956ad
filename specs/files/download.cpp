#include "specs/files/download.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <memory>
#include <utility>

#include "specs/files/cached_file.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::specs {
namespace {

using Reason = FileFailure::Reason;
using namespace std::chrono_literals;

constexpr std::size_t longest_validator = 512;
constexpr std::size_t longest_redirect = 1 << 16;
constexpr int most_redirects = 10;
constexpr std::chrono::milliseconds first_pause = 250ms;
constexpr std::chrono::milliseconds longest_pause = 10s;

std::optional<std::uint64_t> bytes_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// It is sent back in a header line and kept in a line of a file.
std::string kept(const std::string& validator) {
  const bool fits = validator.size() <= longest_validator && !has_control_characters(validator);
  return fits ? validator : "";
}

}  // namespace

std::string validator_of(const std::string& etag, const std::string& last_modified) {
  // A weak ETag promises the same meaning, not the same bytes (RFC 9110, 13.1.5).
  const std::string strong = etag.starts_with('"') ? kept(etag) : "";
  return strong.empty() ? kept(last_modified) : strong;
}

ContentRange content_range_of(std::string_view value) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t dash = value.find('-');
  const std::size_t slash = value.find('/');
  if (!value.starts_with(unit) || dash == std::string_view::npos || slash == std::string_view::npos)
    return {};
  return {bytes_in(value.substr(unit.size(), dash - unit.size())), bytes_in(value.substr(slash + 1))};
}

AfterAnswer after_answer(int status) {
  switch (status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return AfterAnswer::redirect;
    case 416:
      return AfterAnswer::begin_anew;
    case 408:  // request time-out
    case 425:  // too early
    case 429:  // too many requests
      return AfterAnswer::try_again;
    default:
      return status >= 500 ? AfterAnswer::try_again : AfterAnswer::give_up;
  }
}

namespace {

/// What follows from a request that ended.
struct Outcome {
  enum class Next { done, again, redirect, give_up };
  Next next = Next::done;
  FileFailure failure = {};   ///< of `again` and `give_up`: half a sentence
  std::string redirect = {};  ///< where the answer points to
};

Outcome give_up_on(Reason reason, std::string why) {
  return {Outcome::Next::give_up, {reason, std::move(why)}};
}
Outcome again(std::string why) {
  return {Outcome::Next::again, {Reason::unavailable, std::move(why)}};
}

/// One GET after another into one partial file, over one connection where that is possible.
class Transfer {
 public:
  /// `progress` is called between pieces.
  Transfer(PartialFile& file, std::chrono::seconds stall, std::function<void()> progress,
           std::stop_token stop);

  /// Asks for the rest of the file, or for all of it if nothing can be continued.
  [[nodiscard]] Outcome get(const std::string& url);

 private:
  static std::size_t take_body(char* data, std::size_t, std::size_t length, void* self);
  static int is_stopped(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  template <typename Value>
  void set(CURLoption option, Value value) {
    const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
    if (code != CURLE_OK) throw Error(fmt::format("libcurl cannot be set up: {}", curl_easy_strerror(code)));
  }
  void ask_for_the_rest();
  [[nodiscard]] int status();
  [[nodiscard]] std::string header(const char* name);
  [[nodiscard]] bool accept();
  [[nodiscard]] Outcome outcome_of(CURLcode code);
  [[nodiscard]] Outcome without_the_file(int status);

  PartialFile& file_;
  std::chrono::seconds stall_;
  std::function<void()> progress_;
  std::stop_token stop_;
  std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers_{nullptr, &curl_slist_free_all};
  std::array<char, CURL_ERROR_SIZE> error_{};

  bool accepted_ = false;  // of the request under way, like what follows
  std::size_t discarded_ = 0;
  std::string refusal_;
};

/// Left to the end of the process.
CURL* make_handle() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw Error(fmt::format("libcurl does not start: {}", curl_easy_strerror(code)));
  CURL* easy = curl_easy_init();
  if (easy == nullptr) throw Error("libcurl does not start");
  return easy;
}

Transfer::Transfer(PartialFile& file, std::chrono::seconds stall, std::function<void()> progress,
                   std::stop_token stop)
    : file_(file),
      stall_(std::max(stall, std::chrono::seconds{1})),
      progress_(std::move(progress)),
      stop_(std::move(stop)),
      easy_(make_handle(), &curl_easy_cleanup) {
  const long seconds = static_cast<long>(stall_.count());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a stop does not wait for a name server
  set(CURLOPT_USERAGENT, "tandem");
  set(CURLOPT_CONNECTTIMEOUT, seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, seconds);
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_WRITEFUNCTION, &Transfer::take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFOFUNCTION, &Transfer::is_stopped);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
  if (const char* bundle = std::getenv("SSL_CERT_FILE"); bundle != nullptr && *bundle != '\0')
    set(CURLOPT_CAINFO, bundle);
}

int Transfer::status() {
  long code = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &code);
  return static_cast<int>(code);
}

std::string Transfer::header(const char* name) {
  curl_header* found = nullptr;
  return curl_easy_header(easy_.get(), name, 0, CURLH_HEADER, -1, &found) == CURLHE_OK ? found->value : "";
}

/// Whether the body is what was asked for and has room; sets up the file for it.
bool Transfer::accept() {
  const ContentRange range = content_range_of(header("Content-Range"));
  const bool is_whole = status() == 200;
  if (is_whole) {
    file_.forget();
  } else if (status() != 206 || file_.validator().empty() || range.first != file_.size() ||
             (file_.total() && range.total && file_.total() != range.total)) {
    return false;
  }
  curl_off_t length = -1;
  curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  std::optional<std::uint64_t> announced;
  if (length >= 0) announced = static_cast<std::uint64_t>(length);
  if (const std::uint64_t room = file_.free_bytes(); announced && *announced > room) {
    throw Error(fmt::format("{} bytes are to come and the disk of the model cache has {} left; make room",
                            *announced, room));
  }
  if (is_whole) {
    file_.begin(validator_of(header("ETag"), header("Last-Modified")), announced);
  } else {
    file_.go_on();
  }
  return true;
}

std::size_t Transfer::take_body(char* data, std::size_t, std::size_t length, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  try {
    if (!transfer.accepted_) transfer.accepted_ = transfer.accept();
    // Where a redirect leads to is told only if its answer was read to the end.
    if (!transfer.accepted_) return (transfer.discarded_ += length) <= longest_redirect ? length : 0;
    transfer.file_.append({data, length});
    transfer.progress_();
    return length;
  } catch (const std::exception& failure) {
    transfer.refusal_ = failure.what();
    return 0;
  }
}

int Transfer::is_stopped(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Transfer*>(self)->stop_.stop_requested() ? 1 : 0;
}

void Transfer::ask_for_the_rest() {
  const bool continues = file_.size() > 0 && !file_.validator().empty();
  const std::string range = fmt::format("{}-", file_.size());
  set(CURLOPT_RANGE, continues ? range.c_str() : nullptr);
  // Bytes as they lie there: a digest and a range speak of them.
  curl_slist* list = curl_slist_append(nullptr, "Accept-Encoding: identity");
  if (continues) list = curl_slist_append(list, ("If-Range: " + file_.validator()).c_str());
  set(CURLOPT_HTTPHEADER, list);
  headers_.reset(list);
}

Outcome Transfer::get(const std::string& url) {
  accepted_ = false;
  discarded_ = 0;
  refusal_.clear();
  error_[0] = '\0';
  set(CURLOPT_URL, url.c_str());
  ask_for_the_rest();
  const CURLcode code = curl_easy_perform(easy_.get());
  if (stop_.stop_requested()) return give_up_on(Reason::unavailable, "it was stopped");
  // An empty file has no body that could have been taken.
  if (code == CURLE_OK && !accepted_ && status() == 200) accepted_ = accept();
  return outcome_of(code);
}

Outcome Transfer::outcome_of(CURLcode code) {
  if (!refusal_.empty()) return give_up_on(Reason::unavailable, refusal_);
  if (accepted_ && code == CURLE_OK) {
    if (!file_.total() || file_.whole()) return {};
    return again(fmt::format("{} of {} bytes came", file_.size(), *file_.total()));
  }
  if (!accepted_ && (code == CURLE_OK || code == CURLE_WRITE_ERROR || status() >= 400))
    return without_the_file(status());
  const std::string why = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
  if (!accepted_ && (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL))
    return give_up_on(Reason::wrong, why);
  if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE)
    return give_up_on(Reason::unavailable, why);
  if (code == CURLE_OPERATION_TIMEDOUT) return again(fmt::format("nothing came for {} s", stall_.count()));
  return again(why);
}

Outcome Transfer::without_the_file(int status) {
  const char* redirect = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_REDIRECT_URL, &redirect);
  const AfterAnswer next = after_answer(status);
  if (next == AfterAnswer::redirect && redirect != nullptr) return {Outcome::Next::redirect, {}, redirect};
  if (file_.size() > 0 && (status == 206 || next == AfterAnswer::begin_anew)) {
    file_.forget();
    return again(fmt::format("the server answered {} and not with the range that was asked for", status));
  }
  if (next == AfterAnswer::try_again) return again(fmt::format("the server answered {}", status));
  if (status == 407) return give_up_on(Reason::unavailable, "the proxy wants a user and a password (407)");
  const char* meaning = status == 404 || status == 410   ? ", there is no such file"
                        : status == 401 || status == 403 ? ", this host may not read it"
                                                         : "";
  return give_up_on(Reason::wrong, fmt::format("the server answered {}{}", status, meaning));
}

/// One try: a request and those that its redirects ask for.
Outcome attempt(std::string url, Transfer& transfer) {
  for (int redirects = 0; redirects <= most_redirects; ++redirects) {
    Outcome outcome = transfer.get(url);
    if (outcome.next != Outcome::Next::redirect) return outcome;
    if (auto refused = refused_redirect(url, outcome.redirect)) return give_up_on(Reason::wrong, *refused);
    url = std::move(outcome.redirect);
  }
  return give_up_on(Reason::wrong, fmt::format("the server redirects more than {} times", most_redirects));
}

FileFailure sentence(const DownloadRequest& request, FileFailure failure, int tries) {
  const std::string advice = failure.reason == Reason::wrong ? "; correct the location in the spec" : "";
  failure.what = fmt::format("cannot download {} from {}{}: {}{}", request.name, shown_url(request.url),
                             tries > 1 ? fmt::format(" in {} tries", tries) : "", failure.what, advice);
  return failure;
}

std::variant<Downloaded, FileFailure> try_download(const DownloadRequest& request, const ShowDownload& show,
                                                   const std::stop_token& stop) {
  PartialFile file(request.part, request.url);
  const auto progress = [&] {
    if (show) show({request.name, file.size(), file.total()});
  };
  Transfer transfer(file, request.stall, progress, stop);
  std::chrono::milliseconds pause = first_pause;
  for (int tries = 1; !file.whole(); ++tries) {
    const Outcome made = attempt(request.url, transfer);
    if (made.next == Outcome::Next::done) break;
    if (made.next == Outcome::Next::give_up || tries >= request.tries) {
      return sentence(request, made.failure, tries);
    }
    if (!pause_unless_stopped(pause, stop)) {
      return sentence(request, {Reason::unavailable, "it was stopped"}, tries);
    }
    pause = std::min(2 * pause, longest_pause);
  }
  return Downloaded{file.continued() ? Downloaded::Origin::several_answers : Downloaded::Origin::one_answer};
}

}  // namespace

std::variant<Downloaded, FileFailure> download(const DownloadRequest& request, const ShowDownload& show,
                                               const std::stop_token& stop) {
  try {
    return try_download(request, show, stop);
  } catch (const Error& error) {
    return sentence(request, {Reason::unavailable, error.what()}, 1);
  }
}

}  // namespace tandem::specs
