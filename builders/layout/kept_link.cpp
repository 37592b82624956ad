#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "builders/layout/link_capture.hpp"
#include "builders/layout/linker/link_record.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view title = "tandem kept link 1";

[[noreturn]] void refuse_kept(std::string_view line) {
  throw Error(fmt::format("a kept link has a line that cannot be right: '{}'", printable(line, 200)));
}

/// Takes the first word off a line.
std::string take_word(std::string_view& line, std::string_view whole) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) refuse_kept(whole);
  std::string word(line.substr(0, space));
  line.remove_prefix(space + 1);
  return word;
}

KeptLink::Input input_in(std::string_view rest, std::string_view whole) {
  KeptLink::Input input;
  input.sha256 = take_word(rest, whole);
  input.path = rest;
  const bool digest = input.sha256.size() == 64 && is_lower_hex(input.sha256);
  if (!digest || !stays_below(input.path)) refuse_kept(whole);
  return input;
}

/// What becomes of an option, and what its value is.
enum class Use {
  keep,         ///< no value, or one after '=' only
  keep_value,   ///< a value after '=' or in the next word: a name, a number
  keep_input,   ///< the value is a captured file
  keep_folder,  ///< the value is a directory below the captured root
  drop,         ///< says where to write or what to print
  drop_value,
  script,
  order_file,
  profile,
  alignment,
};

struct Row {
  Use use;
  std::string_view options;
};

/// Names without dashes, as lld takes one or two for nearly all of them. An option in no row is refused. The
/// search path for libraries is that of the finished file, which an installation may have changed.
constexpr Row rows[] = {
    {Use::keep,
     "( ) allow-multiple-definition allow-shlib-undefined apply-dynamic-relocs as-needed "
     "Bdynamic Bno-symbolic Bshareable Bstatic Bsymbolic Bsymbolic-functions "
     "Bsymbolic-non-weak-functions build-id call_shared check-sections color-diagnostics d dc "
     "dp dn dy define-common demangle dependent-libraries disable-new-dtags discard-all "
     "discard-locals discard-none E EL eh-frame-hdr emit-relocs enable-new-dtags end-group "
     "end-lib error-unresolved-symbols export-dynamic fatal-warnings gc-sections gdb-index "
     "gnu-unique icf lto-O0 lto-O1 lto-O2 lto-O3 lto-whole-program-visibility "
     "no-allow-multiple-definition no-allow-shlib-undefined no-apply-dynamic-relocs "
     "no-as-needed no-call-graph-profile-sort no-check-sections no-color-diagnostics "
     "no-copy-dt-needed-entries no-ctors-in-init-array no-define-common no-demangle "
     "no-dependent-libraries no-dynamic-linker no-eh-frame-hdr no-export-dynamic "
     "no-fatal-warnings no-gc-sections no-gdb-index no-gnu-unique no-mmap-output-file "
     "no-nmagic no-omagic no-pie no-relax no-rosegment no-undefined no-undefined-version "
     "no-warn-backrefs no-warn-common no-warn-mismatch no-whole-archive noinhibit-exec "
     "non_shared nostdlib pic-executable pie pop-state push-state relax rosegment s S shared "
     "sort-common start-group start-lib static strip-all strip-debug undefined-version "
     "warn-backrefs warn-common warn-once warn-shared-textrel warn-unresolved-symbols "
     "whole-archive x X"},
    {Use::keep_value,
     "auxiliary compress-debug-sections defsym dynamic-linker e entry error-limit "
     "exclude-libs export-dynamic-symbol f F filter fini h hash-style image-base init "
     "keep-unique l library lto-partitions m O pack-dyn-relocs rpath-link soname thinlto-jobs "
     "threads u undefined undefined-glob unresolved-symbols warn-backrefs-exclude wrap y z"},
    {Use::keep_input,
     "dynamic-list export-dynamic-symbol-list just-symbols R retain-symbols-file "
     "version-script"},
    {Use::keep_folder, "L library-path sysroot"},
    {Use::drop,
     "cref M print-gc-sections print-icf-sections print-map save-temps t time-trace trace v V "
     "verbose vs-diagnostics"},
    {Use::drop_value,
     "chroot dependency-file Map o opt-remarks-filename opt-remarks-format opt-remarks-passes "
     "output plugin print-archive-stats print-symbol-order reproduce rpath thinlto-cache-dir "
     "thinlto-cache-policy time-trace-file time-trace-granularity trace-symbol why-extract"},
    {Use::script, "default-script dT script T"},
    {Use::order_file, "call-graph-ordering-file section-ordering-file shuffle-sections symbol-ordering-file"},
    {Use::profile, "call-graph-profile-sort lto-cs-profile-file lto-sample-profile"},
    {Use::alignment, "n N nmagic omagic section-start sort-section Tbss Tdata Ttext Ttext-segment"},
};

const Use* use_of(std::string_view option) {
  static const auto table = [] {
    std::map<std::string, Use> by_name;
    for (const Row& row : rows) {
      for (const std::string& name : response_words(row.options)) by_name.emplace(name, row.use);
    }
    return by_name;
  }();
  const auto found = table.find(std::string(option));
  return found == table.end() ? nullptr : &found->second;
}

/// Values of -z that say where something is to lie.
bool decides_layout(std::string_view value) {
  static constexpr std::string_view deciding[] = {
      "keep-text-section-prefix", "max-page-size=", "common-page-size=", "separate-loadable-segments"};
  return std::any_of(std::begin(deciding), std::end(deciding),
                     [&](std::string_view start) { return value.starts_with(start); });
}

std::string decided_by(std::string_view what) {
  return fmt::format("{} decides the layout", what);
}

/// Options for a compiler inside the linker: GCC's mean nothing to lld, of clang's the harmless ones stay.
std::variant<Use, std::string> plugin_option(const std::string& value) {
  static constexpr std::string_view kept[] = {
      "mcpu=", "O0", "O1", "O2", "O3", "jobs=", "-function-sections", "-data-sections", "lto-partitions="};
  if (value.starts_with("-fresolution=") || value.starts_with("-pass-through=") ||
      value.ends_with("lto-wrapper") || value.starts_with("-linker-output")) {
    return Use::drop;
  }
  if (value.starts_with("sample-profile=") || value.starts_with("cs-profile-path=")) {
    return decided_by("a profile");
  }
  const auto starts = [&](std::string_view start) { return value.starts_with(start); };
  if (value == "thinlto") return Use::keep;  // what only begins so writes files
  if (std::any_of(std::begin(kept), std::end(kept), starts)) return Use::keep;
  return fmt::format("its link has the option '-plugin-opt={}', which is not repeated",
                     printable(value, 100));
}

/// One option of the response file, with its value.
struct Option {
  std::string word;  ///< as written, without a value
  std::string name;  ///< without dashes
  std::string value;
  bool has_value = false;
};

Option option_in(const std::string& word) {
  Option option;
  option.word = word.substr(0, word.find('='));
  if (const auto equals = word.find('='); equals != std::string::npos) {
    option.value = word.substr(equals + 1);
    option.has_value = true;
  }
  option.name = option.word.substr(option.word.starts_with("--") ? 2 : 1);
  return option;
}

}  // namespace

std::string stamp_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read " + file.string());
  }
  return fmt::format("{}-{}-{}.{:09}-{}.{:09}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

std::string to_text(const KeptLink& link) {
  std::string text = fmt::format("{}\n", title);
  for (const auto& path : link.programs) text += fmt::format("program {}\n", path);
  for (const auto& word : link.arguments) text += fmt::format("argument {}\n", word);
  for (const auto& object : link.objects) text += fmt::format("object {} {}\n", object.sha256, object.path);
  for (const auto& [input, stamp] : link.system) {
    text += fmt::format("system {} {} {}\n", stamp, input.sha256, input.path);
  }
  return text;
}

KeptLink kept_link_from(const std::string& text) {
  KeptLink link;
  bool titled = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole(text.data() + at, end - at);
    at = end + 1;
    if (!titled) {
      if (whole != title) refuse_kept(whole);
      titled = true;
      continue;
    }
    std::string_view rest = whole;
    const std::string word = take_word(rest, whole);
    if (word == "program") {
      if (!stays_below(std::string(rest))) refuse_kept(whole);
      link.programs.emplace_back(rest);
    } else if (word == "argument") {
      link.arguments.emplace_back(rest);
    } else if (word == "object") {
      link.objects.push_back(input_in(rest, whole));
    } else if (word == "system") {
      const std::string stamp = take_word(rest, whole);
      link.system.push_back({input_in(rest, whole), stamp});
    } else {
      refuse_kept(whole);
    }
  }
  if (!titled) refuse_kept(text);
  return link;
}

bool stays_below(const std::string& path) {
  const std::filesystem::path parts = path;
  const bool plain = !path.empty() && !parts.is_absolute() && path.find('\n') == std::string::npos;
  return plain && std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part == ".."; });
}

std::variant<std::vector<std::string>, std::string> options_to_repeat(
    const std::string& response, const std::vector<std::string>& inputs) {
  const std::set<std::string> known(inputs.begin(), inputs.end());
  const std::vector<std::string> words = response_words(response);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.find('\n') != std::string::npos) return "its link has an argument of several lines";
    if (!word.starts_with('-')) {
      if (!known.contains(word)) {
        return fmt::format("its link names '{}', which was not captured", printable(word, 200));
      }
      kept.push_back(word);
      continue;
    }
    Option option = option_in(word);
    if (option.name == "plugin-opt" && option.has_value) {
      const auto use = plugin_option(option.value);
      if (const auto* refusal = std::get_if<std::string>(&use)) return *refusal;
      if (std::get<Use>(use) == Use::keep) kept.push_back(word);
      continue;
    }
    const Use* use = use_of(option.name);
    if (use == nullptr) {
      return fmt::format("its link has the option '{}', which is not repeated", printable(option.word, 100));
    }
    if (*use != Use::keep && *use != Use::drop && !option.has_value && i + 1 < words.size()) {
      option.value = words[++i];
      // If lld saw no value here, it would take this for an option that nobody has looked at.
      if (option.value.starts_with('-') || option.value.starts_with('@')) {
        return fmt::format("its link has the option '{}' without a value", printable(option.word, 100));
      }
    }
    switch (*use) {
      case Use::script:
        return decided_by("a linker script");
      case Use::order_file:
        return decided_by("an order file");
      case Use::profile:
        return decided_by("a profile");
      case Use::alignment:
        return decided_by(fmt::format("the option '{}' of its link", printable(option.word, 100)));
      case Use::drop:
      case Use::drop_value:
        continue;
      case Use::keep:
        kept.push_back(word);
        continue;
      case Use::keep_input:
        if (!known.contains(option.value)) {
          return fmt::format("its link names '{}', which was not captured", printable(option.value, 200));
        }
        break;
      case Use::keep_folder:
        if (!stays_below(option.value)) {
          return fmt::format("its link searches '{}', outside of what was captured",
                             printable(option.value, 200));
        }
        break;
      case Use::keep_value:
        if (option.name == "z" && decides_layout(option.value)) {
          return decided_by(fmt::format("'-z {}' of its link", printable(option.value, 100)));
        }
        if ((option.name == "l" || option.name == "library") &&
            option.value.find("..") != std::string::npos) {
          return fmt::format("its link names the library '{}'", printable(option.value, 200));
        }
        break;
    }
    kept.push_back(word);
    if (!option.has_value) kept.push_back(option.value);
  }
  return kept;
}

}  // namespace tandem::builders
