#include "daemon/harness/remote.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

#include "daemon/harness/http_post.hpp"
#include "daemon/harness/remote_request.hpp"
#include "daemon/harness/report_files.hpp"
#include "specs/foundation/file_lock.hpp"
#include "specs/foundation/waiting.hpp"

namespace tandem::daemon::harness {
namespace {

namespace fs = std::filesystem;

/// What waits for one server is not sent to another that a later command line names.
fs::path directory_of(const fs::path& spool, const Address& address) {
  return spool / safe_name(address.url + "|" + address.category);
}

void say(std::string& said, const std::string& sentence) {
  said += (said.empty() ? "" : ". ") + sentence;
}

std::optional<std::string> if_any(std::string said) {
  return said.empty() ? std::nullopt : std::optional(std::move(said));
}

}  // namespace

Remote::Remote(const ReporterSettings& settings, ReporterSurroundings surroundings)
    : address_(read_address(settings.remote_reporter)),
      token_(settings.remote_access_token),
      surroundings_(std::move(surroundings)),
      spool_(directory_of(settings.spool, address_), surroundings_.most_waiting),
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
  const HttpTimeOuts time_outs{surroundings_.connect_time_out, surroundings_.time_out};
  const auto reply = http_post(address_.url, request_body(*request, token_),
                               request_headers(*request, token_), time_outs, stop);
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
  if (surroundings_.now() < not_before_ || spool_.waiting().empty()) return std::nullopt;
  std::string said;
  try {
    FileLock lock(spool_.directory() / ".lock");
    // Who holds it sends what waits here too.
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
  return if_any(std::move(said));
}

}  // namespace tandem::daemon::harness
