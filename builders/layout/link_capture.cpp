#include "builders/layout/link_capture.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <variant>

#include "builders/identity/elf.hpp"
#include "builders/layout/linker/link_record.hpp"
#include "builders/work_directory.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using Reason = std::string;

/// One finished link that the build left.
struct Captured {
  fs::path place;
  LinkRecord record;
};

/// Oldest first.
std::vector<Captured> captured_in(const fs::path& directory) {
  constexpr std::uint64_t most_record_bytes = std::uint64_t{64} << 20;
  std::vector<Captured> all;
  for (const auto& entry : fs::directory_iterator(directory)) {
    const fs::path& place = entry.path();
    if (!place.filename().string().starts_with(finished_prefix)) continue;
    if (!fs::is_directory(entry.symlink_status())) continue;
    const auto text = read_small_file(place / record_name, most_record_bytes);
    if (!text) continue;
    if (auto record = record_from(*text)) all.push_back({place, std::move(*record)});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  return all;
}

/// The link that made this file: the last one with its build id, or, of those that were not captured, with
/// its name.
const Captured* link_of(const std::vector<Captured>& all, const fs::path& file, const ElfFacts& facts) {
  const auto by_id = std::find_if(all.rbegin(), all.rend(), [&](const Captured& link) {
    return !facts.build_id.empty() && link.record.build_id == facts.build_id;
  });
  if (by_id != all.rend()) return &*by_id;
  const auto by_name = std::find_if(all.rbegin(), all.rend(), [&](const Captured& link) {
    return !link.record.reason.empty() && fs::path(link.record.output).filename() == file.filename();
  });
  return by_name != all.rend() ? &*by_name : nullptr;
}

/// An input that moves functions by itself: a linker script that places sections, or a profile in an object.
std::optional<Reason> mentions_layout(const std::string& content) {
  const bool linkable = content.starts_with("\177ELF") || content.starts_with("!<arch>") ||
                        content.starts_with("!<thin>") || content.starts_with("BC\xc0\xde");
  if (!linkable && content.find("SECTIONS") != std::string::npos) {
    return "a linker script decides the layout";
  }
  if (linkable && content.find(".llvm.call-graph-profile") != std::string::npos) {
    return "a profile decides the layout";
  }
  return std::nullopt;
}

constexpr std::array system_folders = {"usr/", "lib/", "lib32/", "lib64/", "libx32/"};

/// Copies the inputs of captured links to where they are kept.
class InputKeeper {
 public:
  explicit InputKeeper(fs::path links) : links_(std::move(links)) {
    fs::create_directories(links_ / "objects");
  }

  std::variant<KeptLink, Reason> keep(const Captured& link) {
    const LinkRecord& record = link.record;
    if (!record.reason.empty()) return printable(record.reason, 500);
    if (record.inputs.size() + record.system.size() > LinkCapture::most_inputs) {
      return "its link has too many inputs";
    }
    std::vector<std::string> known = record.inputs;
    known.insert(known.end(), record.system.begin(), record.system.end());
    std::set<fs::path> files;
    for (const auto& path : known) {
      // lld would read further options from a name that begins with @.
      const bool fits = stays_below(path) && !path.starts_with('@') && files.insert(path).second;
      if (!fits) return fmt::format("its link has an input at '{}'", printable(path, 200));
    }
    for (const fs::path& file : files) {
      for (fs::path above = file.parent_path(); !above.empty(); above = above.parent_path()) {
        if (files.contains(above)) return "one input of its link lies in another";
      }
    }
    const auto response = read_small_file(link.place / arguments_name, LinkCapture::most_bytes - bytes_);
    if (!response) return "the arguments of its link were not kept whole";
    auto options = options_to_repeat(*response, known);
    if (auto* refusal = std::get_if<Reason>(&options)) return std::move(*refusal);

    KeptLink kept;
    kept.arguments = std::get<std::vector<std::string>>(std::move(options));
    for (std::size_t i = 0; i < record.inputs.size(); ++i) {
      const auto content = read_small_file(link.place / std::to_string(i), LinkCapture::most_bytes - bytes_);
      if (!content) return "the inputs of its link were not kept whole, or are too large";
      if (auto reason = mentions_layout(*content)) return std::move(*reason);
      bytes_ += content->size();
      const std::string sha256 = sha256_of(*content);
      const fs::path object = links_ / "objects" / sha256;
      if (!fs::exists(object)) write_file(object, *content);
      kept.objects.push_back({record.inputs[i], sha256});
    }
    for (const auto& path : record.system) {
      const auto* input = system_input(path);
      if (input == nullptr) return fmt::format("its link read /{}, which is gone", printable(path, 200));
      kept.system.push_back(*input);
    }
    return kept;
  }

  void finish(const KeptLink& link) { write_file(links_ / fmt::format("{}.link", count_++), to_text(link)); }

 private:
  const KeptLink::SystemInput* system_input(const std::string& path) {
    auto found = system_.find(path);
    if (found == system_.end()) {
      const fs::path file = fs::path("/") / path;
      std::error_code error;
      // The record is the build's own writing: nothing else of the host is read on its word.
      const bool of_system = std::any_of(system_folders.begin(), system_folders.end(),
                                         [&](const char* folder) { return path.starts_with(folder); });
      if (!of_system || !fs::is_regular_file(file, error) || ::access(file.c_str(), R_OK) != 0)
        return nullptr;
      found =
          system_.emplace(path, KeptLink::SystemInput{{path, sha256_of_file(file)}, stamp_of(file)}).first;
    }
    return &found->second;
  }

  fs::path links_;
  std::uint64_t bytes_ = 0;
  std::size_t count_ = 0;
  std::map<std::string, KeptLink::SystemInput> system_;  ///< every link of a build reads the same ones
};

LinkCapture::Kept collect_into(const fs::path& links, const std::vector<Captured>& all, const fs::path& out) {
  std::map<std::string, ElfFacts> files;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (!fs::is_regular_file(entry.symlink_status())) continue;
    if (auto facts = elf_facts(entry.path())) {
      files.emplace(entry.path().lexically_relative(out).string(), std::move(*facts));
    }
  }
  std::map<const Captured*, std::vector<std::string>> made;
  for (const auto& [path, facts] : files) {
    if (const Captured* link = link_of(all, path, facts)) {
      made[link].push_back(path);
    } else if (facts.kind == ElfFacts::Kind::program) {
      return {{}, fmt::format("{} was not linked by a linker that could be captured", printable(path, 200))};
    }
  }
  if (made.empty()) return {{}, "the build linked no program and no shared library of its own"};
  InputKeeper keeper(links);
  for (const auto& [link, paths] : made) {
    auto kept = keeper.keep(*link);
    if (const auto* reason = std::get_if<Reason>(&kept)) {
      return {{}, fmt::format("{} cannot be linked again: {}", printable(paths.front(), 200), *reason)};
    }
    std::get<KeptLink>(kept).programs = paths;
    keeper.finish(std::get<KeptLink>(kept));
  }
  return {links, {}};
}

}  // namespace

LinkCapture::LinkCapture(fs::path wrapper, fs::path lld, fs::path directory, fs::path inside)
    : wrapper_(std::move(wrapper)),
      lld_(std::move(lld)),
      directory_(std::move(directory)),
      inside_(std::move(inside)) {
  fs::create_directories(directory_);
}

std::vector<std::string> LinkCapture::environment() const {
  return {"COMPILER_PATH=" + wrapper_.string(), "TANDEM_LINK_DIR=" + inside_.string(),
          "TANDEM_LINK_LLD=" + lld_.string()};
}

LinkCapture::Kept LinkCapture::collect(const fs::path& out) const {
  // The build may have put anything under this name.
  const fs::path links = directory_ / "kept";
  remove_tree(links);
  Kept kept;
  try {
    kept = collect_into(links, captured_in(directory_), out);
  } catch (const std::system_error& error) {
    const bool disk = error.code() == std::errc::no_space_on_device || error.code() == std::errc::io_error ||
                      error.code().value() == EDQUOT;
    if (disk) throw;
    kept = {{}, fmt::format("what it was linked from cannot be read: {}", printable(error.what(), 300))};
  }
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (kept.links.empty() || entry.path() != links) remove_tree(entry.path());
  }
  return kept;
}

}  // namespace tandem::builders
