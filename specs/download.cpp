#include "specs/download.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "specs/error.hpp"
#include "specs/partial_file.hpp"
#include "specs/transfer.hpp"
#include "specs/url.hpp"
#include "specs/waiting.hpp"

namespace tandem::specs {
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

Attempt give_up(Reason reason, std::string why) {
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
  if (status == 407) return give_up(Reason::unavailable, "the proxy wants a user and a password (407)");
  const char* meaning = status == 404 || status == 410   ? ", there is no such file"
                        : status == 401 || status == 403 ? ", this host may not read it"
                                                         : "";
  return give_up(Reason::wrong, fmt::format("the server answered {}{}", status, meaning));
}

/// One try: a request and those that its redirects ask for.
Attempt attempt(const DownloadRequest& request, PartialFile& file, Transfer& transfer,
                const std::function<void()>& progress, const std::stop_token& stop) {
  std::string url = request.url;
  for (int redirects = 0; redirects <= most_redirects; ++redirects) {
    const TransferEnd end = transfer.get(url, progress, stop);
    switch (end.how) {
      case How::stopped:
        return give_up(Reason::unavailable, "it was stopped");
      case How::complete:
        return after_body(file);
      case How::broken:
        return again(end.what);
      case How::refused:
        return give_up(Reason::unavailable, end.what);
      case How::bad_url:
        return give_up(Reason::wrong, end.what);
      case How::other_answer:
        break;
    }
    if (after_answer(end.answer.status()) != AfterAnswer::redirect || end.redirect.empty()) {
      return after_other(end.answer, file);
    }
    if (auto refused = refused_redirect(url, end.redirect)) return give_up(Reason::wrong, *refused);
    url = end.redirect;
  }
  return give_up(Reason::wrong, fmt::format("the server redirects more than {} times", most_redirects));
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
