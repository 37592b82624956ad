#include "daemon/report/cache_report.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "daemon/records/verdict_json.hpp"
#include "daemon/report/text_table.hpp"
#include "specs/foundation/text.hpp"
#include "specs/foundation/wall_clock.hpp"

namespace tandem::daemon::report {
namespace {

using builders::Dropped;
using builders::Pruned;
using builders::Pruning;
using builders::StoredDamage;
using builders::StoredEntry;
using builders::Verified;
using Json = nlohmann::ordered_json;

std::int64_t shown_seconds(std::int64_t nanoseconds) {
  return nanoseconds / 1'000'000'000;
}

/// A time that is not known is left out rather than said to be 1970.
std::string time_cell(std::int64_t at) {
  return at == 0 ? "-" : iso_time(at);
}

std::string relinkable_cell(const StoredEntry& stored) {
  if (!stored.damage.empty()) return printable("damaged: " + stored.damage, 120);
  if (stored.added_by_hand) return "no: added by hand";
  if (stored.layout_unresolved.empty()) return "yes";
  return printable("no: " + stored.layout_unresolved, 120);
}

TableRow cache_row(const StoredEntry& stored) {
  return {printable(stored.entry.framework, 40),
          printable(stored.entry.platform, 40),
          printable(stored.entry.commit, 12),
          printable(stored.entry.key, 12),
          readable_size(stored.bytes),
          std::to_string(stored.layouts.size()),
          time_cell(shown_seconds(stored.last_used)),
          time_cell(stored.built),
          relinkable_cell(stored)};
}

std::string count(std::size_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

const char* kind_word(Dropped::What what) {
  return what == Dropped::What::entry ? "entry" : what == Dropped::What::layout ? "layout" : "damaged";
}

Json entry_json(const StoredEntry& stored) {
  Json layouts = Json::array();
  for (const auto& layout : stored.layouts) {
    layouts.push_back({{"seed", layout.seed},
                       {"bytes", layout.bytes},
                       {"last_used", iso_time(shown_seconds(layout.last_used))}});
  }
  return {{"framework", stored.entry.framework},
          {"platform", stored.entry.platform},
          {"commit", stored.entry.commit},
          {"key", stored.entry.key},
          {"directory", stored.directory.string()},
          {"bytes", stored.bytes},
          {"layouts", layouts},
          {"last_used", iso_time(shown_seconds(stored.last_used))},
          {"built", stored.built == 0 ? Json() : Json(iso_time(stored.built))},
          {"relinkable", stored.damage.empty() && stored.layout_unresolved.empty()},
          {"layout_unresolved", stored.layout_unresolved},
          {"added_by_hand", stored.added_by_hand},
          {"damage", stored.damage}};
}

}  // namespace

std::string readable_size(std::uint64_t bytes) {
  constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1023.95 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, units[unit]);
}

std::string contents_table(const CacheContents& contents) {
  std::vector<TableRow> rows = {
      {"FRAMEWORK", "PLATFORM", "COMMIT", "KEY", "SIZE", "LAYOUTS", "LAST USED", "BUILT", "RELINKABLE"}};
  std::uint64_t bytes = 0;
  std::size_t layouts = 0;
  for (const StoredEntry& stored : contents.entries) {
    rows.push_back(cache_row(stored));
    bytes += stored.bytes;
    layouts += stored.layouts.size();
  }
  std::string text;
  if (!contents.entries.empty()) {
    const Align left = Align::left;
    for (const std::string& line :
         table_lines(rows, {left, left, left, left, Align::right, Align::right, left}))
      text += line + "\n";
  }
  text += fmt::format("{}, {}, {} in {}\n", count(contents.entries.size(), "entry", "entries"),
                      count(layouts, "layout", "layouts"), readable_size(bytes), contents.exec_dir.string());
  if (!contents.damaged.empty()) {
    std::uint64_t lost = 0;
    for (const StoredDamage& damage : contents.damaged) lost += damage.bytes;
    text += fmt::format("{} damaged, {}, moved away\n", contents.damaged.size(), readable_size(lost));
  }
  return text;
}

std::string contents_json(const CacheContents& contents) {
  Json entries = Json::array();
  std::uint64_t bytes = 0;
  for (const StoredEntry& stored : contents.entries) {
    entries.push_back(entry_json(stored));
    bytes += stored.bytes;
  }
  Json damaged = Json::array();
  for (const StoredDamage& damage : contents.damaged) {
    damaged.push_back({{"directory", damage.directory.string()},
                       {"bytes", damage.bytes},
                       {"last_used", iso_time(shown_seconds(damage.last_used))}});
    bytes += damage.bytes;
  }
  return document_text({{"schema", 1},
                        {"exec_dir", contents.exec_dir.string()},
                        {"bytes", bytes},
                        {"entries", entries},
                        {"damaged", damaged}});
}

std::string verified_text(const Verified& verified) {
  std::string text;
  for (const std::string& sentence : verified.damage) text += printable(sentence, 2000) + "\n";
  return text + fmt::format("{} and {} read, {} damaged\n", count(verified.entries, "entry", "entries"),
                            count(verified.layouts, "layout", "layouts"), verified.damage.size());
}

std::string verified_json(const Verified& verified) {
  return document_text({{"schema", 1},
                        {"entries", verified.entries},
                        {"layouts", verified.layouts},
                        {"damage", verified.damage}});
}

std::string pruned_text(const Pruned& pruned, Pruning pruning) {
  const bool rehearsal = pruning == Pruning::rehearsal;
  std::string text;
  for (const Dropped& one : pruned.dropped) {
    text += fmt::format("{} {} {} ({}, last used {})\n", rehearsal ? "would drop" : "dropped",
                        kind_word(one.what), printable(one.directory.string(), 2000),
                        readable_size(one.bytes), time_cell(shown_seconds(one.last_used)));
  }
  text += fmt::format("{} before, {} {}\n", readable_size(pruned.bytes_before),
                      readable_size(pruned.bytes_after), rehearsal ? "would be left" : "left");
  if (pruned.in_use > 0) text += fmt::format("in use by a process, and so left: {}\n", pruned.in_use);
  if (pruned.kept > 0) text += fmt::format("needed by an open regression, and so left: {}\n", pruned.kept);
  return text;
}

std::string pruned_json(const Pruned& pruned, Pruning pruning) {
  Json dropped = Json::array();
  for (const Dropped& one : pruned.dropped) {
    dropped.push_back({{"what", kind_word(one.what)},
                       {"framework", one.framework},
                       {"platform", one.platform},
                       {"commit", one.commit},
                       {"directory", one.directory.string()},
                       {"bytes", one.bytes},
                       {"last_used", iso_time(shown_seconds(one.last_used))}});
  }
  return document_text({{"schema", 1},
                        {"dry_run", pruning == Pruning::rehearsal},
                        {"bytes_before", pruned.bytes_before},
                        {"bytes_after", pruned.bytes_after},
                        {"in_use", pruned.in_use},
                        {"kept", pruned.kept},
                        {"dropped", dropped}});
}

}  // namespace tandem::daemon::report
