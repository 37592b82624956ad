#include "daemon/harness/remote.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/harness/remote_request.hpp"
#include "daemon/harness/result_files.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/file_lock.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_aside = 1000;

/// 20240108T091200Z-000123-ID.json: names sort as their times do.
std::string name_of(std::chrono::system_clock::time_point time, const std::string& id) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto rest = std::chrono::floor<std::chrono::microseconds>(since - seconds);
  std::string stamp = iso_time(seconds.count());
  std::erase_if(stamp, [](char c) { return c == '-' || c == ':'; });
  return fmt::format("{}-{:06}-{}.json", stamp, rest.count(), safe_name(id));
}

std::vector<fs::path> files_in(const fs::path& directory, bool (*wanted)(const fs::path& extension)) {
  std::vector<fs::path> files;
  std::error_code error;
  if (!fs::exists(directory, error)) return files;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path& file = entry->path();
    if (!file.filename().string().starts_with('.') && wanted(file.extension())) files.push_back(file);
  }
  if (error) throw Error(fmt::format("cannot read {}: {}", directory.string(), error.message()));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

double chance() {
  static thread_local std::mt19937_64 random{std::random_device()()};
  return std::uniform_real_distribution<double>(0, 1)(random);
}

Spool::Spool(fs::path directory, std::size_t limit) : directory_(std::move(directory)), limit_(limit) {}

void Spool::add(std::chrono::system_clock::time_point time, const std::string& id,
                const std::string& text) const {
  make_directories(directory_);
  const fs::path file = directory_ / name_of(time, id);
  if (waiting().size() >= limit_ && !fs::exists(file)) {
    throw Error(fmt::format("{} results wait in {} already, so this one is not kept for the server", limit_,
                            directory_.string()));
  }
  write_by_rename(file, text);
}

std::vector<fs::path> Spool::waiting() const {
  return files_in(directory_, [](const fs::path& extension) { return extension == ".json"; });
}

std::optional<std::string> Spool::read(const fs::path& file) {
  return read_small_file(file, std::numeric_limits<std::uintmax_t>::max());
}

void Spool::remove(const fs::path& file) const {
  if (::unlink(file.c_str()) != 0 && errno != ENOENT)
    throw Error(fmt::format("cannot remove {}: {}", file.string(), std::strerror(errno)));
  // The directory is not synced: what a power cut brings back is sent again under the same id.
}

void Spool::put_aside(const fs::path& file, const std::string& reason) const {
  const fs::path aside = file.string() + reason;
  if (::rename(file.c_str(), aside.c_str()) != 0)
    throw Error(fmt::format("cannot put {} aside: {}", file.string(), std::strerror(errno)));
  const auto all = files_in(
      directory_, [](const fs::path& extension) { return extension == ".bad" || extension == ".refused"; });
  for (std::size_t i = 0; i + most_aside < all.size(); ++i) remove(all[i]);
}

namespace {

/// The server gave no answer, or half of one: what it did with the request is unknown.
struct HttpFailure {
  std::string what;  ///< half a sentence: "the server does not answer: Connection refused"
};

constexpr std::size_t longest_answer = 1 << 20;

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// Happens once in the process and does not disturb other users of the library.
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

/// The handle is part of the transfers as long as this lives.
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

/// Sends `body` as JSON and waits for the whole answer, of at most 1 MiB. Follows no redirection: the token
/// would go elsewhere. A stop ends it at once.
std::variant<HttpAnswer, HttpFailure> http_post(const std::string& url, const std::string& body,
                                                const std::vector<std::string>& headers,
                                                const ReporterSurroundings& surroundings,
                                                const std::stop_token& stop) {
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
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(surroundings.connect_time_out.count()));
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(surroundings.time_out.count()));
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

/// What waits for one server is not sent to another that a later command line names.
fs::path directory_of(const fs::path& spool, const Address& address) {
  return spool / safe_name(address.url + "|" + address.category);
}

void say(std::string& said, const std::string& sentence) {
  said += (said.empty() ? "" : ". ") + sentence;
}

}  // namespace

Remote::Remote(Address address, std::string token, const fs::path& spool, ReporterSurroundings surroundings)
    : address_(std::move(address)),
      token_(std::move(token)),
      surroundings_(std::move(surroundings)),
      spool_(directory_of(spool, address_), surroundings_.most_waiting),
      not_before_(std::chrono::steady_clock::time_point::min()) {}

void Remote::add(const RunRecord& record) const {
  const RemoteRequest request = remote_request(record, address_.category);
  spool_.add(record.time, request.id, spool_text(request));
}

std::vector<fs::path> Remote::in_turn() const {
  std::vector<fs::path> files = spool_.waiting();
  const auto last = std::find(files.begin(), files.end(), failed_);
  if (last != files.end()) std::rotate(last, last + 1, files.end());
  return files;
}

void Remote::back_off() {
  // 2 s, 4 s, … 512 s.
  failures_ = std::min<std::size_t>(failures_ + 1, 9);
  const auto wait = tandem::back_off(failures_, std::chrono::seconds(2), surroundings_.chance());
  not_before_ = surroundings_.now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
}

Remote::Sent Remote::send(const fs::path& file, const std::stop_token& stop, std::string& said) {
  const auto text = Spool::read(file);
  const auto request = text ? read_spool_text(*text) : std::nullopt;
  if (!request) {
    spool_.put_aside(file, ".bad");
    say(said, fmt::format("{} is damaged and was put aside", file.string()));
    return Sent::done;
  }
  const auto reply = http_post(address_.url, request_body(*request, token_),
                               request_headers(*request, token_), surroundings_, stop);
  if (const auto* failure = std::get_if<HttpFailure>(&reply)) {
    say(said, fmt::format("{}: {}", address_.url, failure->what));
    return stop.stop_requested() ? Sent::stopped : Sent::failed;
  }
  const auto [reception, why] = received(std::get<HttpAnswer>(reply), *request);
  if (reception == Reception::taken) {
    spool_.remove(file);
    return Sent::done;
  }
  say(said, fmt::format("{}: {}", address_.url, why));
  if (reception == Reception::later) return Sent::failed;
  spool_.put_aside(file, ".refused");
  say(said, fmt::format("{} was put aside", file.string()));
  return Sent::done;
}

std::optional<std::string> Remote::deliver(const std::stop_token& stop) {
  const std::lock_guard alone(sending_);
  if (surroundings_.now() < not_before_) return std::nullopt;
  std::string said;
  try {
    if (spool_.waiting().empty()) return std::nullopt;
    FileLock lock(spool_.directory() / ".lock");
    // Whoever holds the lock sends what waits here, too.
    if (!lock.try_lock()) return std::nullopt;
    for (auto files = in_turn(); !files.empty(); files = in_turn()) {
      for (const fs::path& file : files) {
        const Sent sent = stop.stop_requested() ? Sent::stopped : send(file, stop, said);
        if (sent == Sent::done) {
          failures_ = 0;
          continue;
        }
        if (sent == Sent::failed) {
          failed_ = file;
          back_off();
        }
        const std::size_t left = spool_.waiting().size();
        say(said, fmt::format("{} {} for the server", left, left == 1 ? "result waits" : "results wait"));
        return said;
      }
    }
  } catch (const std::exception& error) {
    back_off();
    say(said, error.what());
  }
  return said.empty() ? std::nullopt : std::optional(std::move(said));
}

}  // namespace tandem::daemon::harness
