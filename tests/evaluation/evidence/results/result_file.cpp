#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <nlohmann/json.hpp>
#include <tuple>

#include "evaluation/evidence/results/result.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 28;
constexpr const char* mark = "tandem_evidence";  ///< its number is that of the form

/// The words for the values of an enum, in their order.
template <class Enum>
constexpr std::array<const char*, 0> words = {};
template <>
constexpr std::array<const char*, 2> words<Plot::Kind> = {"curves", "bars"};
template <>
constexpr std::array<const char*, 2> words<Plot::Scale> = {"linear", "logarithmic"};
template <>
constexpr std::array<const char*, 3> words<Goal::Met> = {"yes", "no", "unknown"};

}  // namespace

// nlohmann finds what follows by its names; in a namespace without one it would not.

template <class Type, class Struct>
concept MaybeConst = std::same_as<std::remove_const_t<Type>, Struct>;

// The members of each struct in the order in which a file has them: the same list writes and reads.

void visit(MaybeConst<Point> auto& it, const auto& field) {
  field("x", it.x), field("y", it.y), field("low", it.low), field("high", it.high);
}
void visit(MaybeConst<Series> auto& it, const auto& field) {
  field("name", it.name), field("points", it.points);
}
void visit(MaybeConst<Plot::Line> auto& it, const auto& field) {
  field("y", it.y), field("text", it.text);
}
void visit(MaybeConst<Plot> auto& it, const auto& field) {
  field("name", it.name), field("title", it.title), field("x_label", it.x_label);
  field("y_label", it.y_label), field("kind", it.kind), field("places", it.places);
  field("x_scale", it.x_scale), field("y_scale", it.y_scale), field("series", it.series);
  field("lines", it.lines);
}
void visit(MaybeConst<Table> auto& it, const auto& field) {
  field("title", it.title), field("columns", it.columns), field("rows", it.rows), field("below", it.below);
}
void visit(MaybeConst<Goal> auto& it, const auto& field) {
  field("source", it.source), field("what", it.what), field("target", it.target);
  field("measured", it.measured), field("met", it.met), field("why", it.why);
}
void visit(MaybeConst<PartResult> auto& it, const auto& field) {
  field("part", it.part), field("title", it.title), field("says", it.says), field("command", it.command);
  field("seed", it.seed), field("at", it.at), field("seconds", it.seconds), field("host", it.host);
  field("goals", it.goals), field("tables", it.tables), field("plots", it.plots), field("notes", it.notes);
  field("figures", it.figures);
}

template <class Struct>
concept HasFields = requires(Struct& it) {
  visit(it, [](auto&&...) {});
};

template <HasFields Struct>
void to_json(ordered_json& json, const Struct& value) {
  visit(value, [&]<class Member>(const char* name, const Member& member) {
    if constexpr (std::is_enum_v<Member>) {
      json[name] = words<Member>.at(static_cast<std::size_t>(member));
    } else if constexpr (requires { member.has_value(); }) {
      if (member) json[name] = *member;
    } else {
      json[name] = member;
    }
  });
}

template <HasFields Struct>
void from_json(const ordered_json& json, Struct& value) {
  visit(value, [&]<class Member>(const char* name, Member& member) {
    if constexpr (std::is_enum_v<Member>) {
      const auto word = json.at(name).get<std::string>();
      const auto found = std::find(words<Member>.begin(), words<Member>.end(), word);
      if (found == words<Member>.end()) throw Error(fmt::format("\"{}\" is no word of a result", word));
      member = static_cast<Member>(found - words<Member>.begin());
    } else if constexpr (requires { member.has_value(); }) {
      if (json.contains(name)) json.at(name).get_to(member.emplace());
    } else {
      json.at(name).get_to(member);
    }
  });
}

namespace {

void check_numbers(const ordered_json& json) {
  if (json.is_number_float() && !std::isfinite(json.get<double>()))
    throw Error("a result with a number that is not finite");
  if (!json.is_structured()) return;
  for (const ordered_json& each : json) check_numbers(each);
}

/// Throws Error when a number is not finite, for which JSON has no word.
std::string text_of(const PartResult& result) {
  ordered_json json = {{mark, 1}};
  json.update(ordered_json(result));
  check_numbers(json);
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// Nothing if the text is JSON of something else.
std::optional<PartResult> result_in(std::string_view text) {
  try {
    const auto json = ordered_json::parse(text);
    if (!json.is_object() || !json.contains(mark) || json.at(mark) != 1) return std::nullopt;
    return json.get<PartResult>();
  } catch (const ordered_json::exception& error) {
    throw Error(error.what());
  }
}

constexpr std::array order = {"replay",    "live",   "layouts", "power", "rivals",
                              "ablations", "spread", "culprit", "cost"};

auto rank_of(const PartResult& result) {
  const auto place = std::find(order.begin(), order.end(), result.part);
  return std::tuple(place - order.begin(), result.part);
}

void check_name(const std::string& name) {
  const bool usable = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!usable)
    throw Error(fmt::format("\"{}\" is no name of a result: small letters, digits, - and _", name));
}

std::optional<PartResult> result_in(const fs::path& path) {
  const auto text = read_small_file(path, most_bytes);
  if (!text) throw Error("cannot read " + path.string());
  try {
    auto result = result_in(std::string_view(*text));
    if (result && result->part != path.stem())
      throw Error(fmt::format("it is the result of \"{}\"", result->part));
    return result;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace

void write_result(const fs::path& directory, const PartResult& result) {
  check_name(result.part);
  for (const Plot& plot : result.plots) check_name(plot.name);
  const std::string text = text_of(result);
  fs::create_directories(directory);
  // The drawings first: whoever finds the result finds them too.
  for (const Plot& plot : result.plots) write_by_rename(directory / (plot.name + ".svg"), svg_of(plot));
  write_by_rename(directory / (result.part + ".json"), text);
}

std::vector<PartResult> read_results(const fs::path& directory) {
  std::vector<PartResult> results;
  if (!fs::exists(directory)) return results;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
    if (auto result = result_in(entry.path())) results.push_back(std::move(*result));
  }
  std::sort(results.begin(), results.end(),
            [](const PartResult& a, const PartResult& b) { return rank_of(a) < rank_of(b); });
  return results;
}

std::string HostResults::processor() const {
  for (const PartResult& result : results) {
    if (const auto found = result.host.find("cpu"); found != result.host.end()) return found->second;
  }
  return folder;
}

std::vector<HostResults> read_hosts(const fs::path& directory) {
  std::vector<HostResults> hosts;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_directory()) continue;
    HostResults host{entry.path().filename(), read_results(entry.path())};
    if (!host.results.empty()) hosts.push_back(std::move(host));
  }
  std::sort(hosts.begin(), hosts.end(), [](const HostResults& a, const HostResults& b) {
    return std::tuple(b.results.size(), a.folder) < std::tuple(a.results.size(), b.folder);
  });
  return hosts;
}

}  // namespace tandem::evaluation
