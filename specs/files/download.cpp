#include "specs/files/download.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

#include "specs/files/cached_file.hpp"
#include "specs/files/transfer.hpp"
#include "specs/files/url.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::specs {

namespace {

constexpr std::string_view partial_heading = "tandem part 1";

}  // namespace

PartialFile::PartialFile(std::filesystem::path part, const std::string& url)
    : part_(std::move(part)),
      origin_(origin_of(part_)),
      source_(digests_of(url).sha256),  // an address may hold a password
      file_(::open(part_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644)) {
  struct stat status {};
  if (file_.get() < 0 || ::fstat(file_.get(), &status) != 0) fail("open");
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (size_ > 0) read_origin();
  if (validator_.empty() || (total_ && size_ > *total_)) {
    forget();
  } else {
    continued_ = true;
  }
}

void PartialFile::read_origin() {
  std::ifstream file(origin_);
  std::string first;
  std::string source;
  std::string validator;
  std::string total;
  if (!std::getline(file, first) || first != partial_heading || !std::getline(file, source) ||
      source != source_ || !std::getline(file, validator) || !std::getline(file, total)) {
    return;
  }
  std::uint64_t bytes = 0;
  const auto [end, error] = std::from_chars(total.data(), total.data() + total.size(), bytes);
  if (error == std::errc() && end == total.data() + total.size()) total_ = bytes;
  validator_ = validator;
}

void PartialFile::begin(const std::string& validator, std::optional<std::uint64_t> total) {
  // Emptied first: whatever an interruption leaves, the origin never speaks of another file's bytes.
  if (::ftruncate(file_.get(), 0) != 0) fail("empty");
  size_ = 0;
  continued_ = false;
  total_ = total;
  validator_ = validator;
  std::ofstream file(origin_, std::ios::trunc);
  file << partial_heading << '\n' << source_ << '\n' << validator << '\n';
  file << (total ? std::to_string(*total) : "unknown") << '\n' << std::flush;
  if (!file) fail("write");
}

void PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    size_ += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::uint64_t PartialFile::free_bytes() const {
  struct statvfs disk {};
  if (::fstatvfs(file_.get(), &disk) != 0) fail("ask for the free space of");
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
}

void PartialFile::fail(const std::string& doing) const {
  throw Error(fmt::format("cannot {} {}: {}", doing, part_.string(), std::strerror(errno)));
}

std::filesystem::path origin_of(const std::filesystem::path& part) {
  return part.string() + ".from";
}

void remove_partial(const std::filesystem::path& part) {
  std::error_code ignored;
  std::filesystem::remove(part, ignored);
  std::filesystem::remove(origin_of(part), ignored);
}

namespace {

using Reason = FileFailure::Reason;
using How = TransferEnd::How;
using namespace std::chrono_literals;

constexpr int most_redirects = 10;
constexpr std::chrono::milliseconds first_pause = 250ms;
constexpr std::chrono::milliseconds longest_pause = 10s;

struct Attempt {
  enum class Next { done, again, give_up };
  Next next = Next::done;
  FileFailure failure;
};

Attempt give_up_on(Reason reason, std::string why) {
  return {Attempt::Next::give_up, {reason, std::move(why)}};
}
Attempt again(std::string why) {
  return {Attempt::Next::again, {Reason::unavailable, std::move(why)}};
}

/// After a body that was taken into the file.
Attempt after_body(const PartialFile& file) {
  if (!file.total() || file.whole()) return {};
  return again(fmt::format("{} of {} bytes came", file.size(), *file.total()));
}

/// After an answer that is neither the file nor a redirect.
Attempt after_other(const HttpAnswer& answer, PartialFile& file) {
  const int status = answer.status();
  const bool asked_for_a_range = file.size() > 0;
  if (asked_for_a_range && (status == 206 || after_answer(status) == AfterAnswer::begin_anew)) {
    file.forget();
    return again(fmt::format("the server answered {} and not with the range that was asked for", status));
  }
  if (after_answer(status) == AfterAnswer::try_again)
    return again(fmt::format("the server answered {}", status));
  if (status == 407) return give_up_on(Reason::unavailable, "the proxy wants a user and a password (407)");
  const char* meaning = status == 404 || status == 410   ? ", there is no such file"
                        : status == 401 || status == 403 ? ", this host may not read it"
                                                         : "";
  return give_up_on(Reason::wrong, fmt::format("the server answered {}{}", status, meaning));
}

/// One try: a request and those that its redirects ask for.
Attempt attempt(const DownloadRequest& request, PartialFile& file, Transfer& transfer,
                const std::function<void()>& progress, const std::stop_token& stop) {
  std::string url = request.url;
  for (int redirects = 0; redirects <= most_redirects; ++redirects) {
    const TransferEnd end = transfer.get(url, progress, stop);
    switch (end.how) {
      case How::stopped:
        return give_up_on(Reason::unavailable, "it was stopped");
      case How::complete:
        return after_body(file);
      case How::broken:
        return again(end.what);
      case How::refused:
        return give_up_on(Reason::unavailable, end.what);
      case How::bad_url:
        return give_up_on(Reason::wrong, end.what);
      case How::other_answer:
        break;
    }
    if (after_answer(end.answer.status()) != AfterAnswer::redirect || end.redirect.empty()) {
      return after_other(end.answer, file);
    }
    if (auto refused = refused_redirect(url, end.redirect)) return give_up_on(Reason::wrong, *refused);
    url = end.redirect;
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
  Transfer transfer(file, request.stall);
  std::chrono::milliseconds pause = first_pause;
  for (int tries = 1; !file.whole(); ++tries) {
    const Attempt made = attempt(request, file, transfer, progress, stop);
    if (made.next == Attempt::Next::done) break;
    if (made.next == Attempt::Next::give_up || tries >= request.tries) {
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
