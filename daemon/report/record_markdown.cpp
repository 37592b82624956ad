#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/records/wording.hpp"
#include "daemon/report/record_report.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/waiting.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

using analysis::ConfirmationOutcome;

/// Names and messages come from other people's commits and programs: nobody needs a longer one here.
constexpr std::size_t longest_text = 300;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Foreign text in the middle of a line: one line, and no character that Markdown or a table would act on. An
/// underscore within a word is left alone, as Markdown does; names are full of them.
std::string plain(const std::string& foreign) {
  const std::string text = printable(foreign, longest_text);
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool within_word =
        i > 0 && i + 1 < text.size() && is_word_character(text[i - 1]) && is_word_character(text[i + 1]);
    if (c == '_' ? !within_word : std::string_view("\\`*[]<&|~#$").find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

/// Text shown as it is, between fences longer than any run of back-ticks in it.
std::string fenced(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t i = 0, run = 0; i < text.size(); ++i) {
    run = text[i] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{0}sh\n{1}\n{0}\n", fence, text);
}

std::string short_id(const std::string& commit) {
  return plain(short_commit(commit));
}

std::string commit_phrase(const builders::Commit& commit) {
  return fmt::format("{} \"{}\", {}, {}", short_id(commit.id), plain(commit.subject),
                     plain(commit.author_name), readable_time(commit.committer_time));
}

std::string commit_list(const std::vector<std::string>& commits) {
  std::string list;
  for (const std::string& commit : commits) list += (list.empty() ? "" : ", ") + short_id(commit);
  return list;
}

/// How the heading ends: what became of the change.
std::string ending(const Record& record) {
  switch (record.state) {
    case RecordState::fixed: {
      const std::string by = short_id(fixing_commit(record));
      return by.empty() ? ", now fixed" : fmt::format(", fixed by {}", by);
    }
    case RecordState::recovered:
      return ", now recovered";
    case RecordState::partly_fixed:
    case RecordState::superseded:
      return ", " + state_words(record);
    case RecordState::accepted:
    case RecordState::false_alarm:
      return fmt::format(", {}", name_of(record.state));
    case RecordState::open:
    case RecordState::acknowledged:
    case RecordState::noted:
      break;
  }
  return {};
}

/// "conv2d is 8.1 % slower"; of a metric that is no time, "conv2d has 8.1 % higher memory".
std::string change_of(const Record& record, const char* verb_of_time, const char* verb_of_other) {
  return fmt::format("{} {} {}", plain(record.benchmark),
                     is_time(record.metric) ? verb_of_time : verb_of_other,
                     plain(change_phrase(record.metric, reported_ratio(record))));
}

std::string heading(const Record& record) {
  const std::string end = ending(record);
  const std::string at = " at " + short_id(record.treatment.id);
  switch (record.kind) {
    case RecordKind::accumulated:
      return fmt::format("{} between {} and {}, by no single commit{}",
                         change_of(record, "became", "came to have"), short_id(range_begin(record)),
                         short_id(record.culprit.id), end);
    case RecordKind::layout:
      return change_of(record, "is", "has") + at + ", in its own layout only" +
             (end.empty() && record.state != RecordState::noted ? ", " + state_words(record) : end);
    case RecordKind::not_reproduced:
      return change_of(record, "seemed", "seemed to have") + at + "; not reproduced";
    case RecordKind::postponed:
      return change_of(record, "seems", "seems to have") + at + "; not confirmed yet";
    case RecordKind::unconfirmed:
      return change_of(record, "seems", "seems to have") + at + "; could not be confirmed";
    case RecordKind::regression:
    case RecordKind::improvement:
      break;
  }
  const bool over = record.state == RecordState::fixed || record.state == RecordState::recovered ||
                    record.state == RecordState::superseded;
  const std::string change = record.state == RecordState::false_alarm
                                 ? change_of(record, "seemed", "seemed to have")
                             : over ? change_of(record, "was", "had")
                                    : change_of(record, "is", "has");
  return fmt::format("{} since {}{}", change, short_id(record.culprit.id), end);
}

/// The commit's id and subject, where the reader needs no more.
std::string commit_name(const builders::Commit& commit) {
  return fmt::format("{} (\"{}\")", short_id(commit.id), plain(commit.subject));
}

/// What the measurement of a fix showed; empty if there was none.
std::string fix_sentence(const Record& record) {
  if (!record.fix) return {};
  const FixTrial& fix = *record.fix;
  const std::string by = short_id(fix.commit);
  const std::string pair = fmt::format("{} side by side with {}, the commit before the culprit",
                                       short_id(fix.treatment), short_id(fix.control));
  const std::string change = plain(change_phrase(record.metric, fix.ratio.estimate));
  const std::string ratio = ratio_phrase(fix.ratio);
  switch (fix.outcome) {
    case FixOutcome::gone:
      return fmt::format("{} ended it: {}, is not slower ({}).", by, pair, ratio);
    case FixOutcome::faster:
      if (!is_alive(record.state))
        return fmt::format("{} ended it: {}, is even {} ({}).", by, pair, change, ratio);
      return fmt::format(
          "{} made it faster, by a change of another size: {}, is {} ({}). Whether it undid this one is not "
          "known.",
          by, pair, change, ratio);
    case FixOutcome::left:
      return fmt::format("{} made it smaller: {}, is still {} ({}).", by, pair, change, ratio);
    case FixOutcome::hidden:
      return fmt::format("{} made it faster; a later regression hides whether anything is left.", by);
    case FixOutcome::not_measured:
      return fmt::format("{} made it faster; what it left could not be measured{}: {}.", by,
                         fix.tries < most_tries ? " yet" : fmt::format(" in {} tries", most_tries),
                         plain(fix.why));
  }
  return {};
}

std::string what_happened(const Record& record) {
  const std::string became = change_of(record, "became", "came to have");
  std::string fix = fix_sentence(record);
  if (!fix.empty()) fix.insert(0, " ");
  const auto at_treatment = [&](const std::string& verb) {
    return change_of(record, verb.c_str(), (verb + " to have").c_str()) + " at " +
           commit_name(record.treatment);
  };
  switch (record.kind) {
    case RecordKind::regression:
    case RecordKind::improvement:
      return fmt::format("{} with commit {} by {}.{}", became, commit_name(record.culprit),
                         plain(record.culprit.author_name), fix);
    case RecordKind::accumulated:
      return fmt::format("{} in small steps between {} and {}; no single commit did it.{}", became,
                         short_id(range_begin(record)), commit_name(record.culprit), fix);
    case RecordKind::layout:
      return at_treatment("seemed") + ", but only in the layout that was built: the code may lie badly.";
    case RecordKind::not_reproduced:
      return at_treatment("seemed") + ", and a second look did not find it again.";
    case RecordKind::postponed:
      return at_treatment("seems") + "; the second look is still to come.";
    case RecordKind::unconfirmed:
      return at_treatment("seems") + (record.confirmation.tries < most_tries
                                          ? "; the second look failed and is tried again."
                                          : "; the second look failed and is not tried again by itself.");
  }
  return {};
}

std::string how_sure(const Record& record) {
  const ConfirmationRecord& confirmation = record.confirmation;
  if (!is_step(record.kind) || confirmation.result.units == 0) {
    return "not confirmed, so nothing is claimed; a first look alone is wrong now and then.";
  }
  if (confirmation.exact) return "seen twice; this metric hardly scatters.";
  return fmt::format(
      "measured twice. The second time counts alone: {} fresh launches of both side by side{}, {}; chance "
      "alone would show this with p = {:.2g}.",
      2 * confirmation.result.units, confirmation.relinked ? ", each in new layouts" : "",
      ratio_phrase(record.ratio), confirmation.result.p_value);
}

std::string what_to_do(const Record& record) {
  const std::string id = plain(record.id);
  if (!is_alive(record.state)) {
    return is_step(record.kind) || record.kind == RecordKind::layout
               ? "nothing; it is here to be looked up."
               : fmt::format("nothing, or `tandem report rerun {}` for another look.", id);
  }
  return fmt::format(
      "look at what {} changed. Then mend it, or say what you think of it: `tandem report ack {}` (being "
      "looked into), `tandem report dismiss {} --as accepted --reason …`. The command at the end measures it "
      "again.",
      short_id(record.culprit.id), id, id);
}

std::string state_phrase(const Record& record) {
  const std::string fixed_by = fixing_commit(record);
  const std::string by = fixed_by.empty() ? "" : fmt::format(" by {}", short_id(fixed_by));
  std::string words = state_words(record);
  words.insert(std::min(words.find(','), words.size()), by);
  return fmt::format("{}, {}", name_of(record.kind), words);
}

std::string table(const Record& record) {
  std::string rows = "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    rows += fmt::format("| {} | {} |\n", name, value);
  };
  row("State", state_phrase(record));
  if (record.kind == RecordKind::accumulated) {
    row("After", range_begin(record) == record.control.id ? commit_phrase(record.control)
                                                          : short_id(range_begin(record)));
    row("Up to", commit_phrase(record.culprit));
  } else if (is_step(record.kind)) {
    row(record.kind == RecordKind::regression ? "Culprit" : "Commit", commit_phrase(record.culprit));
    if (!record.co_suspects.empty()) row("Or one of", commit_list(record.co_suspects) + " (did not build)");
    if (record.culprit_probability < 1) row("Probability", percentage(record.culprit_probability));
  } else {
    row("Suspect", commit_phrase(record.treatment));
  }
  if (is_step(record.kind)) {
    row("Change", fmt::format("{}, {}", plain(record.metric.name), ratio_phrase(record.ratio)));
  }
  row("Margin", fmt::format("{}: {}", percentage(record.margin), plain(record.margin_why)));
  if (record.q_value < 1) row("q-value", fmt::format("{:.2g}, over all tests of the commit", record.q_value));
  row("Watch",
      fmt::format("{} on {}, {}", plain(record.key.watch), plain(record.key.platform), plain(record.url)));
  row("Report", fmt::format("{}, incident {}", plain(record.id), plain(record.incident)));
  return rows;
}

std::string screen_sentence(const Record& record) {
  const analysis::Verdict& screen = record.screen;
  return fmt::format(
      "The screen of {} against {} said {} after {} launches: {}{}; {}.", short_id(record.treatment.id),
      short_id(record.control.id), analysis::name_of(screen.outcome), screen.launches,
      screen.decided_by_total ? "by the total time (rare slices, not the typical one), " : "",
      ratio_phrase(screen.ratio),
      screen.sigma > 0 ? "one launch scatters by " + percentage(screen.sigma) : "the launches agree");
}

std::string confirmation_sentence(const Record& record) {
  const ConfirmationRecord& confirmation = record.confirmation;
  const analysis::ConfirmationResult& result = confirmation.result;
  if (!confirmation.failure.empty()) {
    return fmt::format("It could not be confirmed, tried {} times: {}.", confirmation.tries,
                       plain(confirmation.failure));
  }
  if (result.units == 0) return "There is no confirmation: its launches failed or were not made.";
  const bool parent =
      confirmation.treatment == record.culprit.id && confirmation.control == record.culprit.first_parent;
  const std::string pair = fmt::format("{} against {}{}", short_id(confirmation.treatment),
                                       parent ? "its parent " : "", short_id(confirmation.control));
  const char* said = result.outcome == ConfirmationOutcome::confirmed        ? "agreed"
                     : result.outcome == ConfirmationOutcome::not_reproduced ? "did not reproduce it"
                                                                             : "did not decide";
  if (confirmation.exact) {
    return fmt::format(
        "The confirmation, {} in {} fresh launches, {}: {}. This metric hardly scatters and is judged by a "
        "rule of its own; the change had to exceed {}.",
        pair, result.units, said, ratio_phrase(record.ratio), percentage(confirmation.minimum_effect));
  }
  return fmt::format(
      "The confirmation, {} on fresh launches only, {} after {} units in {:.0f} s: {}, p = {:.2g}; the "
      "change "
      "had to reach {}.",
      pair, said, result.units, confirmation.seconds, ratio_phrase(record.ratio), result.p_value,
      percentage(confirmation.minimum_effect));
}

/// Empty if there was nothing to search.
std::string search_sentence(const SearchRecord& search) {
  if (search.measurements == 0) return {};
  const std::string broken =
      search.broken.empty() ? "" : fmt::format("; {} of them did not build", search.broken.size());
  return fmt::format("It was found among {} commits with {} measurements{}.\n\n", search.commits,
                     search.measurements, broken);
}

std::string layout_sentence(const Record& record) {
  if (record.layout.resolution == LayoutFacts::Resolution::resolved) {
    return fmt::format("Layouts: {}{}.", plain(record.layout.words),
                       record.kind == RecordKind::layout
                           ? "; the change is there in the layout that was built and in no other"
                           : "");
  }
  const std::string& why = record.layout.words;
  return fmt::format(
      "Layout unresolved{}{}; nothing was linked anew, so a part of what was seen may come from where the "
      "code lies.",
      why.empty() ? "" : ": ", plain(why));
}

std::string life_list(const Record& record) {
  std::string list;
  for (const LifeEvent& event : record.life) {
    list += fmt::format("- {}, {}: {}", readable_time(event.at), plain(event.by), name_of(event.state));
    if (!event.reason.empty()) list += fmt::format(", {}", plain(event.reason));
    if (!event.commit.empty()) list += fmt::format(" ({})", short_id(event.commit));
    list += "\n";
  }
  return list;
}

std::string retest_rows(const std::vector<Retest>& retests) {
  std::string rows = "| When | Control | Treatment | Outcome | Ratio |\n|---|---|---|---|---|\n";
  for (const Retest& retest : retests) {
    rows += fmt::format("| {} | {} | {} | {} | {} |\n", readable_time(retest.at), short_id(retest.control),
                        short_id(retest.treatment), analysis::name_of(retest.outcome),
                        ratio_phrase(retest.ratio));
  }
  return rows;
}

/// Sightings are kept as costs and shown as changes of the metric.
std::string sighting_rows(const std::vector<Sighting>& sightings, specs::Direction direction) {
  const double sign = direction == specs::Direction::higher_is_better ? -1 : 1;
  std::string rows = "| Commit | As it was built, against its control |\n|---|---|\n";
  for (const Sighting& sighting : sightings) {
    const double change = std::expm1(sign * sighting.log_ratio);
    rows +=
        fmt::format("| {} | {}{} |\n", short_id(sighting.commit), change < 0 ? "-" : "+", percentage(change));
  }
  return rows;
}

std::string host_sentence(const runners::MachineFacts& host) {
  const auto known = [](const std::optional<std::string>& fact) {
    return fact ? plain(*fact) : std::string("unavailable");
  };
  const auto on = [](const std::optional<bool>& fact) {
    return fact ? (*fact ? "on" : "off") : "unavailable";
  };
  return fmt::format("Processor {}, {} in use, governor {}, turbo {}, SMT {}, kernel {}.",
                     known(host.cpu_model), host.processors, known(host.governor), on(host.turbo),
                     on(host.smt), plain(host.kernel));
}

std::string isolation_sentence(const runners::IsolationFacts& isolation) {
  using Kind = runners::IsolationFacts::Kind;
  if (isolation.kind == Kind::unknown) return "";
  const char* how = isolation.kind == Kind::sandbox      ? "in a sandbox"
                    : isolation.kind == Kind::other_user ? "without a sandbox, as another user"
                                                         : "without a sandbox, as the user of the service";
  return fmt::format("Built and run {}, system calls {}filtered.\n\n", how,
                     isolation.call_filter ? "" : "not ");
}

}  // namespace

std::string record_markdown(const Record& record) {
  std::string page = fmt::format(
      "# {}\n\n**What happened:** {}\n\n**How sure:** {}\n\n**What to do:** {}\n\n{}\n", heading(record),
      what_happened(record), how_sure(record), what_to_do(record), table(record));
  page += fmt::format("## Evidence\n\n{}\n\n{}\n\n{}{}\n\n", screen_sentence(record),
                      confirmation_sentence(record), search_sentence(record.search), layout_sentence(record));
  if (!record.sightings.empty()) {
    page += fmt::format("## Seen again\n\n{}\n", sighting_rows(record.sightings, record.metric.direction));
  }
  if (!record.retests.empty()) page += fmt::format("## Re-tests\n\n{}\n", retest_rows(record.retests));
  if (!record.life.empty()) page += fmt::format("## Life\n\n{}\n", life_list(record));
  if (!record.reproduce.empty()) {
    page += fmt::format("## Measure it again\n\n{}\n", fenced(shell_command(record.reproduce)));
  }
  page += fmt::format("## Measured on\n\n{}\n\n{}Builds: control {}, treatment {}.\n",
                      host_sentence(record.host), isolation_sentence(record.isolation),
                      plain(record.control_build), plain(record.treatment_build));
  return page;
}

}  // namespace tandem::daemon::report
