#include "builders/layout/layout.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include "builders/identity/elf.hpp"
#include "builders/layout/link_capture.hpp"
#include "runners/process/process.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/foundation/random.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;
using Sentence = std::optional<std::string>;
using Failure = std::optional<RelinkFailure>;

/// Small programs have few orders; a seed that happens to give the one they have is replaced by its
/// successors.
constexpr std::uint64_t most_attempts = 8;

/// One thread is 15 % faster than two for a small program, whose link takes 20 ms.
constexpr std::uint64_t small_bytes = std::uint64_t{64} << 20;

/// lld's seeds have 32 bits; 0 means a random order and the largest one the reverse order.
std::uint32_t lld_seed(std::uint64_t seed, std::uint64_t attempt, std::uint64_t group) {
  return static_cast<std::uint32_t>(Random(Random(seed).next() + attempt * 16 + group).next() % 0xfffffffeU) +
         1;
}

std::vector<KeptLink> links_in(const fs::path& directory) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".link") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<KeptLink> links;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    links.push_back(kept_link_from({std::istreambuf_iterator<char>(file), {}}));
  }
  if (links.empty()) throw Error(fmt::format("no kept link is in {}", directory.string()));
  return links;
}

/// Where the file as built looks for its libraries: an installation may have changed what its link said.
std::vector<std::string> search_path_options(const ElfFacts& built) {
  for (const auto& [tag, style] : {std::pair{ElfFacts::old_search_path, "--disable-new-dtags"},
                                   std::pair{ElfFacts::search_path, "--enable-new-dtags"}}) {
    for (const auto& line : built.dynamic) {
      if (line.starts_with(tag)) return {style, "--rpath", line.substr(tag.size())};
    }
  }
  return {};
}

template <typename... Parts>
RelinkFailure not_possible(fmt::format_string<Parts...> sentence, Parts&&... parts) {
  return {RelinkFailure::Kind::not_possible, fmt::format(sentence, std::forward<Parts>(parts)...)};
}

/// Whether lld itself says that the host had no room for what it does.
bool had_no_room(const std::string& errors) {
  const auto names = [&](int number) {
    return errors.find(std::generic_category().message(number)) != std::string::npos;
  };
  return names(ENOSPC) || names(EDQUOT) || names(ENOMEM) || names(EAGAIN) || names(EMFILE) || names(ENFILE);
}

RelinkFailure::Kind kind_of_relink(const runners::Finished& finished) {
  const bool by_itself = finished.how == runners::Finished::How::exited && !had_no_room(finished.errors);
  return by_itself ? RelinkFailure::Kind::not_possible : RelinkFailure::Kind::may_pass;
}

class Relinking {
 public:
  Relinking(const fs::path& links, fs::path lld, const fs::path& to, std::stop_token stop,
            const LinkIsolation& isolation)
      : links_(fs::absolute(links)),
        lld_(std::move(lld)),
        to_(to),
        stop_(std::move(stop)),
        isolation_(isolation),
        scratch_(".relink-", fs::absolute(to)),
        root_(scratch_.path() / "root") {}

  Failure run(const KeptLink& link, std::uint64_t seed) {
    if (auto sentence = lay_out(link)) return not_possible("{}", *sentence);
    for (const auto& program : link.programs) {
      const fs::path file = to_ / program;
      std::error_code error;
      const auto built = fs::is_regular_file(file, error) ? elf_facts(file) : std::nullopt;
      if (!built) return not_possible("{} does not stand where it is to be linked again", program);
      Sentence order;
      for (std::uint64_t attempt = 0; attempt < most_attempts; ++attempt) {
        if (auto failure = link_once(link, *built, program, seed, attempt)) return failure;
        const auto relinked = elf_facts(output());
        if (!relinked) return not_possible("{} linked again is not a program", program);
        if (auto sentence = other_program(*built, *relinked)) {
          return not_possible("{} linked again is not the same program: {}", program, *sentence);
        }
        order = same_order(*built, *relinked);
        if (!order) break;
      }
      if (order) return not_possible("{} cannot be put into another order: {}", program, *order);
      put_in_place(file);
    }
    return std::nullopt;
  }

 private:
  fs::path output() const { return scratch_.path() / "output"; }

  bool is_foreign() const { return isolation_.sandbox || isolation_.foreign == runners::Foreign::yes; }

  /// The tree that lld sees as its root: symbolic links to the kept objects and to the system's own files.
  Sentence lay_out(const KeptLink& link) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    bytes_ = 0;
    const auto place = [&](const std::string& path, const fs::path& content) {
      fs::create_directories((root_ / path).parent_path());
      fs::create_symlink(content, root_ / path);
      bytes_ += fs::file_size(content);
    };
    for (const auto& [path, sha256] : link.objects) {
      const fs::path object = links_ / "objects" / sha256;
      if (!fs::is_regular_file(fs::symlink_status(object))) {
        return fmt::format("the kept object {} is gone", sha256);
      }
      place(path, object);
    }
    for (const auto& [input, stamp] : link.system) {
      const fs::path file = fs::path("/") / input.path;
      if (!unchanged(file, stamp, input.sha256)) {
        return fmt::format("{} is no longer the file that the build was linked with; build again",
                           printable(file.string(), 200));
      }
      place(input.path, file);
    }
    return std::nullopt;
  }

  bool unchanged(const fs::path& file, const std::string& stamp, const std::string& sha256) {
    const auto seen = seen_.find(file.string() + sha256);
    if (seen != seen_.end()) return seen->second;
    std::error_code error;
    const bool same =
        fs::is_regular_file(file, error) && (stamp_of(file) == stamp || sha256_of_file(file) == sha256);
    return seen_.emplace(file.string() + sha256, same).first->second;
  }

  void write_response(const std::vector<std::string>& words) const {
    std::string text;
    for (const auto& word : words) {
      text += '"';
      for (const char c : word) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
      }
      text += "\"\n";
    }
    write_file(scratch_.path() / "response", text);
  }

  Failure link_once(const KeptLink& link, const ElfFacts& built, const std::string& program,
                    std::uint64_t seed, std::uint64_t attempt) {
    std::vector<std::string> words = {"--chroot", "."};
    words.insert(words.end(), link.arguments.begin(), link.arguments.end());
    // What runs before and after main, and what unwinding reads, keeps its order.
    std::uint64_t group = 0;
    for (const char* sections : {".text*", ".rodata*", ".data*", ".bss*"}) {
      words.push_back(fmt::format("--shuffle-sections={}={}", sections, lld_seed(seed, attempt, group++)));
    }
    for (const auto& word : search_path_options(built)) words.push_back(word);
    if (!built.has_symbols) words.emplace_back("--strip-all");
    if (built.has_symbols && !built.has_debug) words.emplace_back("--strip-debug");
    if (bytes_ < small_bytes) words.emplace_back("--threads=1");
    words.emplace_back("-o");
    words.push_back(output());
    write_response(words);

    runners::Command command;
    command.argv = {lld_, fmt::format("@{}", (scratch_.path() / "response").string())};
    command.working_directory = root_;
    command.foreign = isolation_.foreign;
    // The objects are foreign: one section may ask for any size.
    constexpr std::uint64_t most_bytes = std::uint64_t{8} << 30;
    command.foreign_limits = {isolation_.memory_bytes, most_bytes, isolation_.processes};
    if (is_foreign()) runners::give_to_sandbox(scratch_.path());
    if (isolation_.sandbox) {
      using Access = runners::Sandbox::Access;
      command.sandbox.emplace();
      command.sandbox->tools = *isolation_.sandbox;
      command.sandbox->mounts = {{links_, links_, Access::read},
                                 {scratch_.path(), scratch_.path(), Access::write}};
      command.sandbox->disk_bytes = most_bytes;
      command.sandbox->memory_bytes = isolation_.memory_bytes;
      command.sandbox->processes = isolation_.processes;
    }
    fs::remove(output());
    const runners::Finished finished = run_command(command, {}, stop_);
    if (!finished.succeeded()) {
      const std::string words_of_lld = printable(finished.errors.substr(0, finished.errors.find('\n')), 300);
      return RelinkFailure{kind_of_relink(finished),
                           fmt::format("{} was not linked again: lld {}{}{}", program, describe(finished),
                                       words_of_lld.empty() ? "" : ": ", words_of_lld)};
    }
    if (!fs::is_regular_file(fs::symlink_status(output()))) {
      return not_possible("{} was not linked again: lld left no file", program);
    }
    return std::nullopt;
  }

  void put_in_place(const fs::path& file) const {
    // From a sandbox the file comes as another user's.
    if (is_foreign() && ::geteuid() == 0 && ::lchown(output().c_str(), 0, 0) != 0) {
      throw std::system_error(errno, std::generic_category(), "cannot take over " + output().string());
    }
    fs::permissions(output(), fs::status(file).permissions());
    fs::rename(output(), file);
  }

  fs::path links_;
  fs::path lld_;
  fs::path to_;
  std::stop_token stop_;
  const LinkIsolation& isolation_;
  TemporaryDirectory scratch_;  ///< beside the programs
  fs::path root_;
  std::uint64_t bytes_ = 0;
  std::map<std::string, bool> seen_;
};

}  // namespace

std::optional<RelinkFailure> relink(const fs::path& links, const fs::path& lld, std::uint64_t seed,
                                    const fs::path& to, const std::stop_token& stop,
                                    const LinkIsolation& isolation) {
  const std::vector<KeptLink> all = links_in(links);
  Relinking relinking(links, lld, to, stop, isolation);
  for (const KeptLink& link : all) {
    if (auto failure = relinking.run(link, seed)) return failure;
  }
  return std::nullopt;
}

}  // namespace tandem::builders
