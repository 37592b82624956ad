#include <fmt/format.h>

#include <algorithm>

#include "builders/printable.hpp"
#include "daemon/report/iso_time.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/wording.hpp"

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
  const std::string text = builders::printable(foreign, longest_text);
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

std::string commit_phrase(const builders::Commit& commit) {
  return fmt::format("{} \"{}\", {}, {}", plain(short_commit(commit.id)), plain(commit.subject),
                     plain(commit.author_name), readable_time(commit.committer_time));
}

std::string commit_list(const std::vector<std::string>& commits) {
  std::string list;
  for (const std::string& commit : commits) list += (list.empty() ? "" : ", ") + plain(short_commit(commit));
  return list;
}

std::string heading(const Record& record) {
  const bool time = is_time(record.metric);
  const std::string name = plain(record.benchmark);
  const std::string change = plain(change_phrase(record.metric, reported_ratio(record)));
  const std::string fixed_by = plain(short_commit(fixing_commit(record)));
  const std::string fixed = record.state != RecordState::fixed ? ""
                            : fixed_by.empty()                 ? ", now fixed"
                                                               : fmt::format(", fixed by {}", fixed_by);
  switch (record.kind) {
    case RecordKind::accumulated:
      return fmt::format("{} {} {} between {} and {}, by no single commit{}", name,
                         time ? "became" : "came to have", change, plain(short_commit(record.control.id)),
                         plain(short_commit(record.treatment.id)), fixed);
    case RecordKind::layout:
      return fmt::format("{} {} {} at {}, in its own layout only", name, time ? "is" : "has", change,
                         plain(short_commit(record.treatment.id)));
    case RecordKind::not_reproduced:
      return fmt::format("{} {} {} at {}; not reproduced", name, time ? "seemed" : "seemed to have", change,
                         plain(short_commit(record.treatment.id)));
    case RecordKind::regression:
    case RecordKind::improvement:
      break;
  }
  const char* verb = record.state == RecordState::fixed ? (time ? "was" : "had") : (time ? "is" : "has");
  return fmt::format("{} {} {} since {}{}", name, verb, change, plain(short_commit(record.culprit.id)),
                     fixed);
}

std::string state_phrase(const Record& record) {
  const std::string fixed_by = fixing_commit(record);
  const std::string by = fixed_by.empty() ? "" : fmt::format(" by {}", plain(short_commit(fixed_by)));
  return fmt::format("{}, {}{}", name_of(record.kind), name_of(record.state), by);
}

std::string table(const Record& record) {
  std::string rows = "| | |\n|---|---|\n";
  const auto row = [&](const char* name, const std::string& value) {
    rows += fmt::format("| {} | {} |\n", name, value);
  };
  row("State", state_phrase(record));
  switch (record.kind) {
    case RecordKind::accumulated:
      row("After", commit_phrase(record.control));
      row("Up to", commit_phrase(record.treatment));
      break;
    case RecordKind::layout:
    case RecordKind::not_reproduced:
      row("Suspect", commit_phrase(record.treatment));
      break;
    case RecordKind::regression:
    case RecordKind::improvement:
      row(record.kind == RecordKind::regression ? "Culprit" : "Commit", commit_phrase(record.culprit));
      if (!record.co_suspects.empty()) row("Or one of", commit_list(record.co_suspects) + " (did not build)");
      if (record.culprit_probability < 1) {
        row("Probability", percentage(record.culprit_probability));
      }
      break;
  }
  if (record.kind != RecordKind::not_reproduced && record.kind != RecordKind::layout) {
    row("Change", fmt::format("{}, {}", plain(record.metric.name), ratio_phrase(record.ratio)));
  }
  row("Margin", percentage(record.margin));
  row("Watch",
      fmt::format("{} on {}, {}", plain(record.key.watch), plain(record.key.platform), plain(record.url)));
  row("Report", fmt::format("{}, incident {}", plain(record.id), plain(record.incident)));
  return rows;
}

std::string screen_sentence(const Record& record) {
  const analysis::Verdict& screen = record.screen;
  return fmt::format(
      "The screen of {} against {} said {} after {} launches: {}{}; one launch scatters by {}.",
      plain(short_commit(record.treatment.id)), plain(short_commit(record.control.id)),
      analysis::name_of(screen.outcome), screen.launches,
      screen.decided_by_total ? "by the total time (rare slices, not the typical one), " : "",
      ratio_phrase(screen.ratio), percentage(screen.sigma));
}

std::string confirmation_sentence(const Record& record) {
  const ConfirmationRecord& confirmation = record.confirmation;
  const analysis::ConfirmationResult& result = confirmation.result;
  if (result.units == 0) return "There is no confirmation: its launches failed or were not made.";
  const bool parent =
      confirmation.treatment == record.culprit.id && confirmation.control == record.culprit.first_parent;
  const char* said = result.outcome == ConfirmationOutcome::confirmed        ? "agreed"
                     : result.outcome == ConfirmationOutcome::not_reproduced ? "did not reproduce it"
                                                                             : "did not decide";
  return fmt::format(
      "The confirmation, {} against {}{} on fresh launches only, {} after {} units in {:.0f} s: {}, p = "
      "{:.2g}; "
      "the change had to reach {}.",
      plain(short_commit(confirmation.treatment)), parent ? "its parent " : "",
      plain(short_commit(confirmation.control)), said, result.units, confirmation.seconds,
      ratio_phrase(record.ratio), result.p_value, percentage(confirmation.minimum_effect));
}

std::string layout_sentence(const Record& record) {
  constexpr std::string_view unresolved = "unresolved";
  if (!record.layout.starts_with(unresolved)) {
    return fmt::format("Layouts: {}{}.", plain(record.layout),
                       record.kind == RecordKind::layout
                           ? "; the change is there in the layout that was built and in no other"
                           : "");
  }
  const std::string why = record.layout.substr(unresolved.size());
  return fmt::format(
      "Layout unresolved{}; nothing was linked anew, so a part of what was seen may come from where the code "
      "lies.",
      plain(why));
}

std::string life_list(const Record& record) {
  std::string list;
  for (const LifeEvent& event : record.life) {
    list += fmt::format("- {}, {}: {}", readable_time(event.at), plain(event.by), name_of(event.state));
    if (!event.reason.empty()) list += fmt::format(", {}", plain(event.reason));
    if (!event.commit.empty()) list += fmt::format(" ({})", plain(short_commit(event.commit)));
    list += "\n";
  }
  return list;
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

}  // namespace

std::string record_markdown(const Record& record) {
  std::string page = fmt::format("# {}\n\n{}\n", heading(record), table(record));
  page += fmt::format("## Evidence\n\n{}\n\n{}\n\n{}\n\n", screen_sentence(record),
                      confirmation_sentence(record), layout_sentence(record));
  if (!record.life.empty()) page += fmt::format("## Life\n\n{}\n", life_list(record));
  if (!record.reproduce.empty()) {
    page += fmt::format("## Measure it again\n\n{}\n", fenced(shell_command(record.reproduce)));
  }
  page += fmt::format("## Measured on\n\n{}\n\nBuilds: control {}, treatment {}.\n",
                      host_sentence(record.host), plain(record.control_build), plain(record.treatment_build));
  return page;
}

}  // namespace tandem::daemon::report
