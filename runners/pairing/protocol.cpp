#include "runners/pairing/protocol.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <utility>

#include "runners/results/adapter.hpp"
#include "specs/benchmark/metric.hpp"
#include "specs/foundation/numbers.hpp"

namespace tandem::runners {
namespace {

using Kind = Children::Event::Kind;
using Reason = RunFailure::Reason;
constexpr std::size_t most_benchmarks = 10'000;
constexpr std::size_t most_metrics = 100;

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of("\n\r ");
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  const std::string_view line = std::string_view(text).substr(
      begin == std::string::npos ? 0 : begin + 1, end - (begin == std::string::npos ? 0 : begin + 1) + 1);
  return shortened(line, 200);
}

/// What a program said, for a message.
std::string excerpt(std::string_view text) {
  return shortened(text, 60);
}

Reason reason_of(Finished::How how) {
  switch (how) {
    case Finished::How::timed_out:
      return Reason::timed_out;
    case Finished::How::flooded:
      return Reason::flooded;
    case Finished::How::not_started:
    case Finished::How::no_sandbox:
      return Reason::not_started;
    case Finished::How::stopped:
      return Reason::stopped;
    default:
      return Reason::crashed;
  }
}

}  // namespace

RunFailure failure_of(Side side, std::uint64_t launch, const Finished& finished, std::string_view doing) {
  std::string what = fmt::format("{} {}", name_of(side), describe(finished));
  if (!doing.empty()) what += fmt::format(" {}", doing);
  if (const std::string words = last_line(finished.errors); !words.empty())
    what += fmt::format("; it said: {}", words);
  return {side, launch, reason_of(finished.how), what};
}

void expect_good_end(Side side, std::uint64_t launch, const Finished& finished, ProgramPair::Status status,
                     std::string_view doing) {
  if (!ended_well(finished, status)) throw LaunchFailed{failure_of(side, launch, finished, doing)};
  if (finished.left_behind == 0) return;
  throw LaunchFailed{
      {side, launch, Reason::protocol,
       fmt::format("{} left {} running {} behind, killed now{}{}", name_of(side), finished.left_behind,
                   finished.left_behind == 1 ? "process" : "processes", doing.empty() ? "" : " ", doing)}};
}

Conversation::Conversation(std::uint64_t launch, Children::Clock::time_point deadline, std::stop_token stop)
    : launch_(launch), deadline_(deadline), stop_(std::move(stop)) {}

std::size_t Conversation::start(Side side, const Command& command, const Children::Options& options) {
  sides_.push_back(side);
  const std::size_t child = children_.start(command, options);
  doing_.at(child) = "at its start";
  return child;
}

std::string Conversation::expect(std::size_t child) {
  for (;;) {
    if (auto& mine = pending_.at(child); !mine.empty()) {
      std::string line = std::move(mine.front());
      mine.pop_front();
      return line;
    }
    const Children::Event event = children_.wait(deadline_, stop_);
    switch (event.kind) {
      case Kind::line:
        pending_.at(event.child).push_back(event.line);
        break;
      case Kind::finished:
        ended(event.child);
      case Kind::closed:
        closed(event.child);
      case Kind::deadline:
        late(child, doing_.at(child));
      case Kind::stopped:
        throw LaunchFailed{
            {side(child), launch_, Reason::stopped, fmt::format("{} was stopped", name_of(side(child)))}};
    }
  }
}

void Conversation::ended(std::size_t child) const {
  throw LaunchFailed{failure_of(side(child), launch_, children_.finished(child), doing_.at(child))};
}

void Conversation::closed(std::size_t child) {
  // A dying program closes its channel a moment before its end can be seen; the end says more.
  const auto patience = Children::Clock::now() + std::chrono::milliseconds{500};
  while (children_.running(child)) {
    const Children::Event event = children_.wait(patience, stop_);
    if (event.kind == Kind::deadline || event.kind == Kind::stopped)
      breach(child, "closed its channel (TANDEM_FD)");
  }
  ended(child);
}

void Conversation::breach(std::size_t child, const std::string& what) const {
  throw LaunchFailed{
      {side(child), launch_, Reason::protocol, fmt::format("{} {}", name_of(side(child)), what)}};
}

void Conversation::late(std::size_t child, const std::string& doing) const {
  throw LaunchFailed{{side(child), launch_, Reason::timed_out,
                      fmt::format("{} did not answer before the deadline {}", name_of(side(child)), doing)}};
}

std::string Conversation::reply(std::size_t child, std::string_view verb) {
  for (;;) {
    std::string line = expect(child);
    const std::string_view word = std::string_view(line).substr(0, line.find(' '));
    if (word == "metric") {
      take_metric(child, line);
      continue;
    }
    if (word == "error")
      breach(child,
             fmt::format("answered with a refusal {}: {}", doing_.at(child),
                         excerpt(std::string_view(line).substr(std::min<std::size_t>(6, line.size())))));
    if (word != verb) {
      breach(child,
             fmt::format("answered \"{}\" {}; expected \"{} …\"", excerpt(line), doing_.at(child), verb));
    }
    return line.size() > verb.size() ? line.substr(verb.size() + 1) : std::string();
  }
}

void Conversation::take_metric(std::size_t child, std::string_view line) {
  std::array<std::string_view, 4> words;  // metric NAME VALUE UNIT
  std::size_t count = 0;
  for (std::string_view rest = line; !rest.empty() && count < words.size(); ++count) {
    const auto end = count + 1 < words.size() ? std::min(rest.find(' '), rest.size()) : rest.size();
    words.at(count) = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto value = number_from<double>(words[2]);
  if (count < 3 || words[1].empty() || !value) {
    breach(child,
           fmt::format("said \"{}\"; expected \"metric NAME VALUE UNIT\"", excerpt(std::string(line))));
  }
  if (words[1] == specs::Metric{}.name)
    breach(child, "reports a metric called time, which is measured already");
  auto& known = reported_.at(child);
  const auto same =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.name == words[1]; });
  if (same != known.end()) {
    same->value = *value;
  } else if (known.size() == most_metrics) {
    breach(child, fmt::format("reports more than {} metrics", most_metrics));
  } else {
    known.push_back({std::string(words[1]), *value, std::string(words[3])});
  }
}

bool Conversation::greet(std::size_t child, bool offer_page, std::size_t slot) {
  doing_.at(child) = "to the greeting";
  children_.send(child,
                 offer_page ? fmt::format("hello 1 page {} {}", Children::page_descriptor, slot) : "hello 1");
  const std::string answer = reply(child, "hello");
  if (answer != "1" && answer != "1 page") {
    breach(child, fmt::format("speaks version \"{}\" of the protocol; expected 1", excerpt(answer)));
  }
  return offer_page && answer == "1 page";
}

const Finished* Conversation::greet_or_await_end(std::size_t child) {
  doing_.at(child) = "while it was looked at";
  children_.send(child, "hello 1");
  for (;;) {
    const Children::Event event = children_.wait(deadline_, stop_);
    switch (event.kind) {
      case Kind::line:
        if (event.line != "hello 1") {
          breach(child,
                 fmt::format("answered \"{}\" to the greeting; expected \"hello 1\"", excerpt(event.line)));
        }
        return nullptr;
      case Kind::closed:
        break;  // a program that knows nothing of us may close what it does not know
      case Kind::finished:
        return &children_.finished(child);
      case Kind::deadline:
        throw LaunchFailed{
            {side(child), launch_, Reason::timed_out,
             fmt::format("{} neither ended nor answered before the deadline", name_of(side(child)))}};
      case Kind::stopped:
        throw LaunchFailed{
            {side(child), launch_, Reason::stopped, fmt::format("{} was stopped", name_of(side(child)))}};
    }
  }
}

std::vector<std::string> Conversation::list(std::size_t child) {
  doing_.at(child) = "to the question for its benchmarks";
  children_.send(child, "list");
  std::vector<std::string> names;
  for (std::string line = expect(child); line != "end"; line = expect(child)) {
    if (!line.starts_with("benchmark ") || line.size() == 10 || names.size() == most_benchmarks) {
      breach(child, fmt::format("answered \"{}\" to the question for its benchmarks", excerpt(line)));
    }
    names.push_back(line.substr(10));
  }
  return names;
}

void Conversation::select(std::size_t child, const std::string& benchmark) {
  doing_.at(child) = fmt::format("to the selection of {}", excerpt(benchmark));
  children_.send(child, fmt::format("select {}", benchmark));
  reply(child, "selected");
}

std::uint64_t Conversation::run(std::size_t child, std::uint64_t iterations) {
  doing_.at(child) = fmt::format("in a slice of {} iterations", iterations);
  const auto begin = Children::Clock::now();
  children_.send(child, fmt::format("run {}", iterations));
  const std::string answer = reply(child, "time");
  const std::chrono::nanoseconds seen = Children::Clock::now() - begin;
  const auto space = std::min(answer.find(' '), answer.size());
  const auto done = number_from<std::uint64_t>(std::string_view(answer).substr(0, space));
  const auto elapsed =
      number_from<std::uint64_t>(std::string_view(answer).substr(std::min(space + 1, answer.size())));
  if (!done || !elapsed) {
    breach(child,
           fmt::format("answered \"time {}\"; expected \"time ITERATIONS NANOSECONDS\"", excerpt(answer)));
  }
  if (*done != iterations)
    breach(child, fmt::format("ran {} iterations where {} were asked for", *done, iterations));
  if (*elapsed == 0 || *elapsed > static_cast<std::uint64_t>(seen.count())) {
    breach(child,
           fmt::format("claims {} ns for a slice that took {} ns from outside", *elapsed, seen.count()));
  }
  return *elapsed;
}

void Conversation::start_slices(std::size_t child, std::string_view verb) {
  doing_.at(child) = "in its slices";
  children_.send(child, verb);
}

std::uint32_t Conversation::finish_slices(std::size_t child) {
  const std::string answer = reply(child, "turned");
  const auto taken = number_from<std::uint32_t>(answer);
  if (!taken)
    breach(child, fmt::format("answered \"turned {}\"; expected a number of slices", excerpt(answer)));
  return *taken;
}

void Conversation::quit(std::size_t child, ProgramPair::Status status) {
  doing_.at(child) = "after it was told to quit";
  children_.send(child, "quit");
  while (children_.running(child)) {
    const Children::Event event = children_.wait(deadline_, stop_);
    if (event.kind == Kind::finished && event.child != child) ended(event.child);
    if (event.kind == Kind::deadline) late(child, doing_.at(child));
    if (event.kind == Kind::stopped) expect(child);
  }
  const Finished& finished = children_.finished(child);
  if (!ended_well(finished, status)) ended(child);
  expect_good_end(side(child), launch_, finished, status, "");
}

void Conversation::freeze(std::size_t child) const {
  children_.signal(child, SIGSTOP);
}

void Conversation::thaw(std::size_t child) const {
  children_.signal(child, SIGCONT);
}

}  // namespace tandem::runners
