#include "specs/files/transfer.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "specs/files/url.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::specs {

namespace {

constexpr std::size_t longest_validator = 512;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string in_lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// It is sent back in a header line and kept in a line of a file.
std::string kept(std::string_view validator) {
  const bool plain =
      std::all_of(validator.begin(), validator.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
  return plain && validator.size() <= longest_validator ? std::string(validator) : "";
}

}  // namespace

void HttpAnswer::add_line(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = HttpAnswer();
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return;
    status_ = number<int>(trimmed(line).substr(space + 1, 3)).value_or(0);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string name = in_lower_case(trimmed(line.substr(0, colon)));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag") etag_ = kept(value);
  if (name == "last-modified") last_modified_ = kept(value);
  if (name == "content-range") read_content_range(value);
}

void HttpAnswer::read_content_range(std::string_view value) {
  constexpr std::string_view unit = "bytes ";
  const std::size_t dash = value.find('-');
  const std::size_t slash = value.find('/');
  if (!value.starts_with(unit) || dash == std::string_view::npos || slash == std::string_view::npos) return;
  first_ = number<std::uint64_t>(value.substr(unit.size(), dash - unit.size()));
  total_ = number<std::uint64_t>(value.substr(slash + 1));
}

std::string HttpAnswer::validator() const {
  // A weak ETag promises the same meaning, not the same bytes (RFC 9110, 13.1.5).
  return etag_.starts_with('"') ? etag_ : last_modified_;
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

constexpr int longest_wait_ms = 1000;  // libcurl looks at its time-outs when it is called
constexpr std::size_t longest_redirect = 1 << 16;

/// Before the first handle, once; both are left to the end of the process.
void prepare_libcurl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw Error(fmt::format("libcurl does not start: {}", curl_easy_strerror(code)));
}

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy, option, value);
  if (code != CURLE_OK) throw Error(fmt::format("libcurl cannot be set up: {}", curl_easy_strerror(code)));
}

}  // namespace

struct Transfer::Curl {
  explicit Curl(PartialFile& target) : file(target) {}
  ~Curl() {
    curl_easy_cleanup(easy);
    curl_multi_cleanup(multi);
    curl_slist_free_all(headers);
  }

  static std::size_t take_header(char* data, std::size_t, std::size_t length, void* self);
  static std::size_t take_body(char* data, std::size_t, std::size_t length, void* self);
  bool accept();
  void ask(const std::string& url);
  CURLcode perform(const std::function<void()>& progress, const std::stop_token& stop);
  TransferEnd end_of(CURLcode code);

  PartialFile& file;
  CURL* easy = nullptr;
  CURLM* multi = nullptr;
  curl_slist* headers = nullptr;
  std::chrono::seconds stall{};
  std::array<char, CURL_ERROR_SIZE> error{};

  HttpAnswer answer;  // of the request under way, like what follows
  bool accepted = false;
  std::size_t discarded = 0;
  std::string refusal;
};

/// Whether the body is what was asked for and has room; sets up the file for it.
bool Transfer::Curl::accept() {
  curl_off_t length = -1;
  curl_easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  std::optional<std::uint64_t> announced;
  if (length >= 0) announced = static_cast<std::uint64_t>(length);
  if (answer.status() == 200) {
    file.forget();
  } else if (answer.status() != 206 || file.validator().empty() || answer.first() != file.size() ||
             (file.total() && answer.total() && file.total() != answer.total())) {
    return false;
  }
  if (const std::uint64_t room = file.free_bytes(); announced && *announced > room) {
    throw Error(fmt::format("{} bytes are to come and the disk of the model cache has {} left; make room",
                            *announced, room));
  }
  if (answer.status() == 200) {
    file.begin(answer.validator(), announced);
  } else {
    file.go_on();
  }
  return true;
}

std::size_t Transfer::Curl::take_header(char* data, std::size_t, std::size_t length, void* self) {
  try {
    static_cast<Curl*>(self)->answer.add_line({data, length});
    return length;
  } catch (const std::exception& failure) {
    static_cast<Curl*>(self)->refusal = failure.what();
    return 0;
  }
}

std::size_t Transfer::Curl::take_body(char* data, std::size_t, std::size_t length, void* self) {
  Curl& curl = *static_cast<Curl*>(self);
  try {
    if (!curl.accepted) curl.accepted = curl.accept();
    // Where a redirect leads to is told only if its answer was read to the end.
    if (!curl.accepted) return (curl.discarded += length) <= longest_redirect ? length : 0;
    curl.file.append({data, length});
    return length;
  } catch (const std::exception& failure) {
    curl.refusal = failure.what();
    return 0;
  }
}

void Transfer::Curl::ask(const std::string& url) {
  answer = HttpAnswer();
  accepted = false;
  discarded = 0;
  refusal.clear();
  error[0] = '\0';
  const long seconds = std::max<long>(1, static_cast<long>(stall.count()));
  set(easy, CURLOPT_URL, url.c_str());
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // a stop does not wait for a name server
  set(easy, CURLOPT_USERAGENT, "tandem");
  set(easy, CURLOPT_CONNECTTIMEOUT, seconds);
  set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(easy, CURLOPT_LOW_SPEED_TIME, seconds);
  set(easy, CURLOPT_ERRORBUFFER, error.data());
  set(easy, CURLOPT_HEADERFUNCTION, &Curl::take_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(easy, CURLOPT_WRITEFUNCTION, &Curl::take_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (const char* bundle = std::getenv("SSL_CERT_FILE"); bundle != nullptr && *bundle != '\0') {
    set(easy, CURLOPT_CAINFO, bundle);
  }
  curl_slist_free_all(headers);
  headers = nullptr;
  // Bytes as they lie there: a digest and a range speak of them.
  headers = curl_slist_append(headers, "Accept-Encoding: identity");
  if (file.size() > 0 && !file.validator().empty()) {
    headers = curl_slist_append(headers, fmt::format("Range: bytes={}-", file.size()).c_str());
    headers = curl_slist_append(headers, ("If-Range: " + file.validator()).c_str());
  }
  set(easy, CURLOPT_HTTPHEADER, headers);
}

CURLcode Transfer::Curl::perform(const std::function<void()>& progress, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi); });
  curl_multi_add_handle(multi, easy);
  const auto remove = [this](CURL* handle) { curl_multi_remove_handle(multi, handle); };
  const std::unique_ptr<CURL, decltype(remove)> added(easy, remove);
  int running = 1;
  std::uint64_t shown = file.size();
  while (!stop.stop_requested()) {
    if (curl_multi_perform(multi, &running) != CURLM_OK) throw Error("libcurl cannot go on");
    if (accepted && file.size() != shown) {
      shown = file.size();
      progress();
    }
    if (running == 0) break;
    curl_multi_poll(multi, nullptr, 0, longest_wait_ms, nullptr);
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi, &left);
  return message != nullptr ? message->data.result : CURLE_ABORTED_BY_CALLBACK;
}

TransferEnd Transfer::Curl::end_of(CURLcode code) {
  using How = TransferEnd::How;
  TransferEnd end{How::broken, answer, "", error[0] != '\0' ? error.data() : curl_easy_strerror(code)};
  if (!refusal.empty()) {
    end.how = How::refused;
    end.what = refusal;
  } else if (accepted) {
    end.how = code == CURLE_OK ? How::complete : How::broken;
  } else if (code == CURLE_OK || code == CURLE_WRITE_ERROR || answer.status() >= 400) {
    end.how = How::other_answer;
    const char* redirect = nullptr;
    curl_easy_getinfo(easy, CURLINFO_REDIRECT_URL, &redirect);
    if (redirect != nullptr) end.redirect = redirect;
  } else if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL) {
    end.how = How::bad_url;
  } else if (code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE) {
    end.how = How::refused;
  }
  if (code == CURLE_OPERATION_TIMEDOUT) end.what = fmt::format("nothing came for {} s", stall.count());
  return end;
}

Transfer::Transfer(PartialFile& file, std::chrono::seconds stall) : curl_(std::make_unique<Curl>(file)) {
  prepare_libcurl();
  curl_->stall = stall;
  curl_->easy = curl_easy_init();
  curl_->multi = curl_multi_init();
  if (curl_->easy == nullptr || curl_->multi == nullptr) throw Error("libcurl does not start");
}

Transfer::~Transfer() = default;

TransferEnd Transfer::get(const std::string& url, const std::function<void()>& progress,
                          const std::stop_token& stop) {
  curl_->ask(url);
  const CURLcode code = curl_->perform(progress, stop);
  if (stop.stop_requested()) return {TransferEnd::How::stopped, {}, "", ""};
  // An empty file has no body that could have been taken.
  if (code == CURLE_OK && !curl_->accepted && curl_->answer.status() == 200) {
    curl_->accepted = curl_->accept();
  }
  return curl_->end_of(code);
}

}  // namespace tandem::specs
