#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "builders/repository.hpp"
#include "daemon/records/request.hpp"
#include "daemon/walk/pipeline.hpp"

namespace tandem::daemon {

/// What came of a request, for a person; `code` is the exit code of the design that it stands for.
struct Answer {
  Request::State state = Request::State::done;
  int code = 0;
  std::string text;
};

/// Answers requests on one platform of a watch: measures what it is asked to, outside of the walk's order.
class RequestHandler {
 public:
  explicit RequestHandler(Pipeline& pipeline) : pipeline_(pipeline), steps_(pipeline.steps()) {}

  /// `line` is that of the walk. Nothing: it was stopped. A commit that is not there and similar are answers.
  [[nodiscard]] std::optional<Answer> serve(const Request& request, const builders::Repository& repository,
                                            const Line& line, const std::stop_token& stop);

 private:
  struct Tried {
    std::vector<std::string> lines;  ///< what each benchmark's screen said
    std::vector<Suspect> suspects;   ///< what changed, the largest change first
    bool failed = false;             ///< something could not be measured
    bool inconclusive = false;
    std::optional<analysis::RatioInterval> quiet;  ///< of the last one that did not change
  };
  /// Screens what the request names between two commits of a line; stores nothing. Without a control it is
  /// each benchmark's own.
  [[nodiscard]] std::optional<Tried> try_pair(const Request& request, const Examination& at,
                                              std::optional<std::size_t> control, const std::string& metric);

  [[nodiscard]] std::optional<Answer> measure(const Request& request, const builders::Repository& repository,
                                              const Line& line, const std::stop_token& stop);
  [[nodiscard]] std::optional<Answer> examine(const Examination& at);
  [[nodiscard]] std::optional<Answer> bisect(const Request& request, const builders::Repository& repository,
                                             const std::stop_token& stop);
  [[nodiscard]] std::optional<Answer> rerun(const Request& request, const builders::Repository& repository,
                                            const Line& line, const std::stop_token& stop);
  /// A note that is asked about again may become a record.
  [[nodiscard]] std::optional<Answer> settle_again(const Request& request, const Record& record,
                                                   const Line& line, const std::stop_token& stop);
  [[nodiscard]] std::optional<Suspect> suspect_again(const Record& record, const Examination& at,
                                                     std::size_t control);
  /// It could not be measured: it is tried again later, some times; then it stays unconfirmed.
  [[nodiscard]] std::optional<Answer> unconfirmed(const Request& request, const Record& record,
                                                  const std::string& why) const;
  /// A suspect that was put off does not stay so once it has been looked at.
  void end_postponed(const std::string& record, bool unseen) const;
  /// A regression that has recovered is fixed by this commit if it is measured to be gone there. False: it
  /// was stopped.
  [[nodiscard]] bool mark_fixed(const std::string& id, const builders::Repository& repository,
                                const builders::Commit& by, const std::stop_token& stop);

  Pipeline& pipeline_;
  WalkSteps& steps_;
};

}  // namespace tandem::daemon
