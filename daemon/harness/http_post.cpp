#include "daemon/harness/http_post.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>

#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::harness {
namespace {

constexpr std::size_t longest_answer = 1 << 20;

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// Once for the process; harmless beside other users of the library.
void begin_library() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw Error("cannot begin to use libcurl");
}

extern "C" std::size_t keep_answer(char* bytes, std::size_t size, std::size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > longest_answer) return 0;
  body.append(bytes, size * count);
  return size * count;
}

Headers header_list(const std::vector<std::string>& headers) {
  // An empty "Expect:" sends large bodies without asking first: not every server answers that question.
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  list = curl_slist_append(list, "Content-Type: application/json");
  for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
  return {list, curl_slist_free_all};
}

/// Only while it is in scope, the handle is part of the transfers.
struct Transfer {
  CURLM* multi;
  CURL* easy;
  Transfer(CURLM* all, CURL* one) : multi(all), easy(one) {
    if (curl_multi_add_handle(multi, easy) != CURLM_OK) throw Error("cannot begin an HTTP request");
  }
  ~Transfer() { curl_multi_remove_handle(multi, easy); }
};

/// Nothing if it was stopped.
std::optional<CURLcode> perform(CURLM* multi, const std::stop_token& stop) {
  const std::stop_callback wake(stop, [multi] { curl_multi_wakeup(multi); });
  while (!stop.stop_requested()) {
    int running = 0;
    if (curl_multi_perform(multi, &running) != CURLM_OK) throw Error("an HTTP request broke off");
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
      if (message->msg == CURLMSG_DONE) return message->data.result;
    }
    if (curl_multi_poll(multi, nullptr, 0, 1000, nullptr) != CURLM_OK)
      throw Error("an HTTP request broke off");
  }
  return std::nullopt;
}

}  // namespace

std::variant<HttpAnswer, HttpFailure> http_post(const std::string& url, const std::string& body,
                                                const std::vector<std::string>& headers,
                                                const HttpTimeOuts& time_outs, const std::stop_token& stop) {
  begin_library();
  const Multi multi(curl_multi_init(), curl_multi_cleanup);
  const Easy easy(curl_easy_init(), curl_easy_cleanup);
  if (!multi || !easy) throw Error("cannot begin an HTTP request");
  const Headers list = header_list(headers);
  HttpAnswer answer;
  std::array<char, CURL_ERROR_SIZE> detail{};
  const auto set = [&](CURLoption option, auto value) {
    if (curl_easy_setopt(easy.get(), option, value) != CURLE_OK) throw Error("cannot set up an HTTP request");
  };
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(time_outs.connect.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(time_outs.whole.count()));
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  set(CURLOPT_POSTFIELDS, body.c_str());
  set(CURLOPT_HTTPHEADER, list.get());
  set(CURLOPT_USERAGENT, "tandem");
  set(CURLOPT_WRITEFUNCTION, keep_answer);
  set(CURLOPT_WRITEDATA, &answer.body);
  set(CURLOPT_ERRORBUFFER, detail.data());

  const Transfer transfer(multi.get(), easy.get());
  const auto code = perform(multi.get(), stop);
  if (!code) return HttpFailure{"the request was stopped"};
  if (*code != CURLE_OK) {
    const std::string why = detail[0] != '\0' ? detail.data() : curl_easy_strerror(*code);
    return HttpFailure{fmt::format("there is no whole answer: {}", printable(why, 300))};
  }
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace tandem::daemon::harness
