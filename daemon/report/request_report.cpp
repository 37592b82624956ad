#include "daemon/report/request_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/records/verdict_json.hpp"
#include "daemon/records/wording.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

/// Everything in a request was typed by someone, and an answer quotes programs.
std::string shown_text(const std::string& text) {
  return printable(text, 300);
}

std::string commit_words(const std::string& commit) {
  const bool hash = commit.size() == 40 && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  return shown_text(hash ? short_commit(commit) : commit);
}

std::string wish_words(const Request& request) {
  const std::string benchmark =
      request.benchmark.empty() ? "" : ", " + shown_text(request.benchmark) + " only";
  const std::string against = request.against.empty() ? "" : " against " + commit_words(request.against);
  switch (request.kind) {
    case Request::Kind::measure:
      return fmt::format("measure {}{}{}", commit_words(request.commit), against, benchmark);
    case Request::Kind::bisect:
      return fmt::format("find what changed after {} up to {}{}", commit_words(request.against),
                         commit_words(request.commit), benchmark);
    case Request::Kind::rerun:
      return fmt::format("confirm report {} once more", shown_text(request.record));
    case Request::Kind::confirm:
      return fmt::format("confirm the postponed report {}", shown_text(request.record));
  }
  return {};
}

std::string scope_words(const WatchKey& key) {
  return key.platform.empty() ? shown_text(key.watch)
                              : fmt::format("{} ({})", shown_text(key.watch), shown_text(key.platform));
}

}  // namespace

std::string requests_text(const std::vector<Request>& requests) {
  if (requests.empty()) return "nothing was queued\n";
  std::string text;
  for (const Request& request : requests) {
    text +=
        fmt::format("{}  {}  {}, {}, by {} at {}\n", request.id, name_of(request.state), wish_words(request),
                    scope_words(request.key), shown_text(request.by), readable_time(request.at));
    if (request.state == Request::State::running && !request.progress.empty()) {
      text += fmt::format("   {}\n", shown_text(request.progress));
    }
    std::istringstream answer(request.answer);
    for (std::string line; std::getline(answer, line);) text += fmt::format("   {}\n", shown_text(line));
  }
  return text;
}

std::string requests_json(const std::vector<Request>& requests) {
  auto list = nlohmann::ordered_json::array();
  for (const Request& request : requests) {
    list.push_back({{"id", request.id},
                    {"kind", name_of(request.kind)},
                    {"state", name_of(request.state)},
                    {"watch", request.key.watch},
                    {"platform", request.key.platform},
                    {"commit", request.commit},
                    {"against", request.against},
                    {"benchmark", request.benchmark},
                    {"report", request.record},
                    {"by", request.by},
                    {"at", iso_time(request.at)},
                    {"progress", request.progress},
                    {"answer", request.answer}});
  }
  return document_text(list);
}

}  // namespace tandem::daemon::report
