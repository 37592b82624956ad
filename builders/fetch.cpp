#include "builders/fetch.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "runners/process/process.hpp"
#include "specs/foundation/names.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

using FetchKind = FetchFailure::Kind;
using Move = Tip::Move;
using runners::Finished;

constexpr Name<Move> move_names[] = {
    {Move::first, "first"}, {Move::same, "same"}, {Move::forward, "forward"}, {Move::rewritten, "rewritten"}};
constexpr Name<FetchKind> fetch_failure_names[] = {
    {FetchKind::unreachable, "unreachable"}, {FetchKind::refused, "refused"},
    {FetchKind::no_branch, "no_branch"},     {FetchKind::timed_out, "timed_out"},
    {FetchKind::corrupt, "corrupt"},         {FetchKind::disk, "disk"},
    {FetchKind::stopped, "stopped"},         {FetchKind::internal, "internal"}};

bool is_commit_id(const std::string& text) {
  return text.size() == 40 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isxdigit(c); });
}

bool belongs_to_protocol(const std::string& variable) {
  return variable.starts_with("TANDEM_FETCH_");
}

/// Each line on the child's channel says that something arrived, and gives it the whole time again. A server
/// that sends a byte now and then must not hold a watch for ever, so the sum is bounded too.
Finished run_while_it_moves(const runners::Command& command, const FetchOptions& options,
                            const std::stop_token& stop) {
  using runners::Children;
  Children children;
  Children::Options with;
  with.channel = Children::Options::Channel::yes;
  const auto begin = Children::Clock::now();
  const auto end = begin + FetchOptions::most_extensions * options.deadline;
  auto deadline = begin + options.deadline;
  const std::size_t child = children.start(command, with);
  while (children.running(child)) {
    const auto event = children.wait(deadline, stop);
    if (event.kind == Children::Event::Kind::line) {
      deadline = std::min(end, Children::Clock::now() + options.deadline);
    }
    if (event.kind == Children::Event::Kind::deadline) children.end(child, Finished::How::timed_out);
    if (event.kind == Children::Event::Kind::stopped) children.end(child, Finished::How::stopped);
  }
  return children.take(child);
}

/// Runs the child and reads its answer; `what` begins the sentence of a failure.
std::variant<Tip, FetchFailure> ask_child(const std::vector<std::string>& arguments, const Source& source,
                                          const FetchOptions& options, const std::string& what,
                                          const std::stop_token& stop) {
  runners::Command command;
  command.argv = {options.program, fetch_protocol::command};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = runners::current_environment();
  std::erase_if(command.environment, belongs_to_protocol);
  const auto pass = [&](const char* name, const std::string& value) {
    if (!value.empty()) command.environment.push_back(fmt::format("{}={}", name, value));
  };
  pass(fetch_protocol::url_variable, source.url);
  pass(fetch_protocol::seed_variable, source.seed);
  pass(fetch_protocol::key_file_variable, source.key_file);
  pass(fetch_protocol::token_file_variable, source.token_file);
  pass(fetch_protocol::channel_variable, std::to_string(runners::Children::channel_descriptor));
  const Finished finished = run_while_it_moves(command, options, stop);
  const auto failed = [&](FetchKind kind, const std::string& why) {
    return FetchFailure{kind, fmt::format("{} could not be fetched from {}: {}", what, source.shown, why)};
  };
  switch (finished.how) {
    case Finished::How::exited:
      if (!finished.output.empty()) return fetch_protocol::read(finished.output);
      break;
    case Finished::How::timed_out:
      return failed(FetchKind::timed_out,
                    fmt::format("nothing arrived for {:.3g} s, or far too little",
                                std::chrono::duration<double>(options.deadline).count()));
    case Finished::How::stopped:
      return failed(FetchKind::stopped, "stopped on request");
    default:
      break;
  }
  return failed(FetchKind::internal, fmt::format("the fetching child {}", describe(finished)));
}

}  // namespace

const char* name_of(Move move) {
  return name_in(move_names, move);
}

const char* name_of(FetchKind kind) {
  return name_in(fetch_failure_names, kind);
}

std::string fetch_protocol::write(const std::variant<Tip, FetchFailure>& answer) {
  if (const auto* tip = std::get_if<Tip>(&answer)) {
    return fmt::format("tip {} {} {}\n", name_of(tip->move), tip->id, tip->previous);
  }
  const auto& failure = std::get<FetchFailure>(answer);
  return fmt::format("failure {} {}\n", name_of(failure.kind), printable(failure.sentence, 2000));
}

std::variant<Tip, FetchFailure> fetch_protocol::read(const std::string& line) {
  std::istringstream words(line);
  std::string what;
  std::string how;
  words >> what >> how;
  if (what == "tip") {
    const auto move = value_in<Move>(move_names, how);
    Tip tip;
    words >> tip.id >> tip.previous;
    const bool sound = is_commit_id(tip.id) && (tip.previous.empty() || is_commit_id(tip.previous));
    if (move && sound) {
      tip.move = *move;
      return tip;
    }
  }
  if (what == "failure") {
    const auto kind = value_in<FetchKind>(fetch_failure_names, how);
    std::string sentence;
    std::getline(words >> std::ws, sentence);
    if (kind) return FetchFailure{*kind, sentence};
  }
  return FetchFailure{FetchKind::internal, "the fetching child gave no answer that can be understood"};
}

std::variant<Tip, FetchFailure> fetch(const std::filesystem::path& mirror, const Source& source,
                                      const FetchOptions& options, std::stop_token stop) {
  // Here the kinds of version control part: hg is a program of its own and needs no child of ours around it.
  if (source.kind == Source::Kind::hg) return fetch_hg(mirror, source, options.deadline, stop);
  return ask_child({std::filesystem::absolute(mirror), source.branch}, source, options,
                   fmt::format("branch '{}'", source.branch), stop);
}

std::optional<FetchFailure> fetch_submodules(const std::filesystem::path& mirror, const std::string& commit,
                                             const Source& source, const FetchOptions& options,
                                             std::stop_token stop) {
  if (source.kind != Source::Kind::git) return std::nullopt;  // no other kind has them
  const auto answer =
      ask_child({std::filesystem::absolute(mirror), commit, fetch_protocol::submodules}, source, options,
                fmt::format("the submodules of {}", printable(commit, 40)), stop);
  const auto* failure = std::get_if<FetchFailure>(&answer);
  return failure == nullptr ? std::nullopt : std::optional(*failure);
}

}  // namespace tandem::builders
