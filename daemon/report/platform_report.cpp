#include "daemon/report/platform_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/records/verdict_json.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::report {
namespace {

using runners::Finding;
using runners::FixStep;
using runners::Grade;
using runners::Platform;
using runners::Restored;
using Json = nlohmann::ordered_json;

constexpr std::size_t width = 100;
constexpr std::size_t name_width = 24;
constexpr std::size_t grade_width = 6;
constexpr int platform_schema = 1;
/// In the order of FixStep::Result.
constexpr std::array result_words = {"set", "already", "not set", "failed"};
constexpr const char* rule =
    "The score is the weighted mean of the grades, where good is 1, fair 1/2 and poor 0. What is unavailable "
    "counts neither for nor against, and lines without a grade are only told.";

std::string shown_fact(const std::string& text) {
  return printable(text, 400);
}

/// Breaks the text between words; all lines but the first start with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream words(text);
  std::string result;
  std::size_t column = indent;
  for (std::string word; words >> word;) {
    if (column > indent && column + 1 + word.size() > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
  }
  return result;
}

std::string grade_cell(const Finding& finding) {
  if (finding.weight == 0) return "";
  return finding.grade == Grade::unknown ? "-" : name_of(finding.grade);
}

std::string row(const Finding& finding) {
  const std::size_t indent = 2 + name_width + grade_width;
  return fmt::format("  {:<{}}{:<{}}{}\n", finding.name, name_width, grade_cell(finding), grade_width,
                     wrapped(shown_fact(finding.value), indent));
}

/// Points that it costs; nothing for what is good, unknown or only told.
double cost(const Finding& finding) {
  return finding.grade == Grade::poor   ? finding.weight
         : finding.grade == Grade::fair ? finding.weight / 2.0
                                        : 0;
}

std::string advice(const Finding& finding) {
  std::string text = fmt::format("  {}\n", wrapped(fmt::format("{}: {}", finding.name, finding.why), 2));
  if (!finding.command.empty()) text += fmt::format("      {}\n", finding.command);
  return text;
}

bool is_set_by_fix(const Finding& finding) {
  constexpr std::array names = {"governor", "turbo", "SMT", "perf_event_paranoid", "address randomisation"};
  return !finding.command.empty() && std::find(names.begin(), names.end(), finding.name) != names.end();
}

std::string advice_list(const Platform& platform) {
  std::vector<const Finding*> costly;
  for (const Finding& finding : platform.findings) {
    if (cost(finding) > 0) costly.push_back(&finding);
  }
  std::stable_sort(costly.begin(), costly.end(),
                   [](const Finding* a, const Finding* b) { return cost(*a) > cost(*b); });
  std::string can;
  std::string cannot;
  for (const Finding* finding : costly) (finding->command.empty() ? cannot : can) += advice(*finding);
  std::string text;
  if (!can.empty()) text += "\nWhat would help, most first:\n" + can;
  if (std::any_of(costly.begin(), costly.end(), [](const Finding* one) { return is_set_by_fix(*one); })) {
    text += fmt::format(
        "  {}\n",
        wrapped("tandem platform --fix, as root, sets governor, turbo, SMT, perf_event_paranoid and "
                "address randomisation for as long as it runs.",
                2));
  }
  if (!cannot.empty()) text += "\nWhat disturbs, and no command here can change:\n" + cannot;
  return text;
}

Json finding_json(const Finding& finding) {
  Json value = finding.value;
  if (finding.value == "unavailable") value = nullptr;
  return {{"group", finding.group},          {"name", finding.name},     {"value", value},
          {"grade", name_of(finding.grade)}, {"weight", finding.weight}, {"why", finding.why},
          {"command", finding.command}};
}

Json topology_json(const runners::Topology& topology) {
  Json processors = Json::array();
  for (const auto& one : topology.processors) {
    processors.push_back({{"cpu", one.cpu},
                          {"core", one.core},
                          {"node", one.node},
                          {"socket", one.socket},
                          {"kind", one.kind},
                          {"allowed", one.allowed},
                          {"isolated", one.isolated}});
  }
  Json caches = Json::array();
  for (const auto& one : topology.caches) {
    caches.push_back(
        {{"level", one.level}, {"kind", one.kind}, {"bytes", one.bytes}, {"shared_by", one.shared_by}});
  }
  return {{"processors", processors}, {"caches", caches}};
}

}  // namespace

std::string platform_text(const Platform& platform) {
  std::string text = platform.score ? fmt::format("Readiness for measuring: {} of 100\n", *platform.score)
                                    : "Readiness for measuring: unknown\n";
  text += wrapped(rule, 0) + "\n";
  std::string group;
  for (const Finding& finding : platform.findings) {
    if (finding.group != group) text += fmt::format("\n{}\n", group = finding.group);
    text += row(finding);
  }
  return text + advice_list(platform);
}

std::string platform_json(const Platform& platform, const runners::CpuChoice& choice) {
  Json isa = Json::object();
  for (const auto& feature : platform.isa) isa[feature.flag] = feature.present;
  Json findings = Json::array();
  for (const Finding& finding : platform.findings) findings.push_back(finding_json(finding));
  return document_text({{"schema", platform_schema},
                        {"score", platform.score ? Json(*platform.score) : Json(nullptr)},
                        {"rule", rule},
                        {"isa", isa},
                        {"topology", topology_json(platform.topology)},
                        {"choice",
                         {{"measured", choice.measured},
                          {"supervisor", choice.supervisor},
                          {"all", choice.all},
                          {"duet", choice.duet}}},
                        {"findings", findings}});
}

std::string fix_text(const std::vector<FixStep>& steps) {
  std::string text;
  for (const FixStep& step : steps) {
    const std::size_t indent = name_width + 9;
    text += fmt::format("{:<{}}{:<9}{}\n", step.name, name_width,
                        result_words[static_cast<std::size_t>(step.result)],
                        wrapped(shown_fact(step.said), indent));
  }
  return text;
}

std::string restored_text(const Restored& restored) {
  std::string text;
  if (restored.values > 0) {
    text += fmt::format("{} {} set back\n", restored.values, restored.values == 1 ? "value" : "values");
  }
  for (const auto* lines : {&restored.remarks, &restored.failures}) {
    for (const std::string& line : *lines) text += wrapped(shown_fact(line), 2) + "\n";
  }
  return text;
}

}  // namespace tandem::daemon::report
