#include "daemon/commands/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

#include "daemon/commands/commands.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon::commands {
namespace {

using Takes = Flag::Takes;

template <class Number>
Number number_of(const std::string& name, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("--{}: found {}; expected a number", name, in_quotes(text)));
  return value;
}

Flag text(const char* name, std::optional<std::string>& to, const char* help) {
  return {name, help, Takes::one, [&to](const std::string& value) { to = value; }};
}

Flag path(const char* name, std::optional<std::filesystem::path>& to, const char* help) {
  return {name, help, Takes::one, [&to](const std::string& value) { to = value; }};
}

Flag paths(const char* name, std::optional<std::vector<std::filesystem::path>>& to, const char* help) {
  return {name, help, Takes::several, [&to](const std::string& value) {
            if (!to) to.emplace();
            to->push_back(value);
          }};
}

Flag number(const char* name, std::optional<int>& to, const char* help) {
  return {name, help, Takes::one, [=, &to](const std::string& value) { to = number_of<int>(name, value); }};
}

Flag share(const char* name, std::optional<double>& to, const char* help) {
  return {name, help, Takes::one,
          [=, &to](const std::string& value) { to = number_of<double>(name, value); }};
}

Flag seconds(const char* name, std::optional<config::Seconds>& to, const char* help) {
  return {name, help, Takes::one,
          [=, &to](const std::string& value) { to = config::Seconds(number_of<double>(name, value)); }};
}

/// In a spec's default_args it may have a value: "false" is no.
Flag yes(const char* name, std::optional<bool>& to, const char* help) {
  return {name, help, Takes::nothing, [&to](const std::string& value) { to = value != "false"; }};
}

template <class Value>
Flag choice(const char* name, std::optional<Value>& to, Value (*read)(std::string_view), const char* help) {
  return {name, help, Takes::one, [&to, read](const std::string& value) { to = read(value); }};
}

/// The parts of "A=1 B=2"; a blank that no new variable follows belongs to the value.
std::vector<std::string> environment_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ' ');) {
    const auto equals = word.find('=');
    const bool begins = equals != std::string::npos && equals > 0 &&
                        std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (begins || words.empty()) {
      words.push_back(word);
    } else {
      words.back() += " " + word;
    }
  }
  return words;
}

/// "A=1", several of them, also in one word as FAI-PEP has them: "A=1 B=2".
Flag environment(std::optional<std::map<std::string, std::string>>& to) {
  return {"env", "NAME=value for every program; a test's own variables win", Takes::several,
          [&to](const std::string& value) {
            if (!to) to.emplace();
            for (const std::string& word : environment_words(value))
              to->insert_or_assign(config::environment_entry(word).first,
                                   config::environment_entry(word).second);
          }};
}

/// Two flags have two names each.
std::string one_name(const std::string& name) {
  if (name == "platform") return "platforms";
  return name == "timeout" ? "benchmark_timeout" : name;
}

}  // namespace

Flags walk_flags(DaemonOptions& options) {
  auto& o = options.overrides;
  const auto platforms = [&o](const std::string& list) { o.platforms = config::split_platforms(list); };
  return {
      path("config", options.config_file, "Config file: JSON with comments, watch: [...]; flags override it"),
      text("repo_dir", o.repo_dir, "A clone, a path or a URL; a clone is never touched"),
      text("repo", o.repo, "Version control: git or hg"),
      path("key_file", o.key_file, "ssh key for the fetch; without it the agent's"),
      path("token_file", o.token_file, "Holds user:password or a token for a fetch over http"),
      text("remote_repository", o.remote_repository, "The clone's remote that is followed (origin)"),
      text("branch", o.branch, "The branch (main)"),
      text("framework", o.framework, "The folder of frameworks_dir that builds it"),
      path("frameworks_dir", o.frameworks_dir, "Holds FRAMEWORK/PLATFORM/build.sh or FRAMEWORK/build.sh"),
      {"platforms", "Build variants, a,b (linux)", Takes::one, platforms},
      {"platform", "One build variant", Takes::one, platforms},
      path("benchmark_file", o.benchmark_file, "Spec or suite; without it the program's own list"),
      text("base_commit", o.base_commit, "A control to use if it is later than the week's first commit"),
      text("commit", o.commit, "The first commit of the walk (50 commits back)"),
      path("commit_file", o.commit_file, "Resume file: the last examined commit is kept here"),
      number("step", o.step, "Every N-th commit; the newest always"),
      choice("control", o.control, config::control_rule, "Which control: week, parent, fixed, tag"),
      text("control_tag", o.control_tag, "With --control tag: which tags count, such as v* (*)"),
      choice("walk", o.walk, config::walk, "first_parent or all commits of the branch"),
      choice("catch_up", o.catch_up, config::catch_up,
             "When behind: every commit, or newest and the others only if it is slower"),
      share("margin", o.margin, "The change worth knowing, as a share (0.01)"),
      yes("regression", o.regression, "Confirm suspects and write reports"),
      yes("ab_testing", o.ab_testing, "Accepted: every run is control against treatment"),
      yes("same_host", o.same_host, "Never build while measuring"),
      yes("needs_git", o.needs_git, "Give builds a .git"),
      path("exec_dir", o.exec_dir, "Executables by commit (STATE_DIR/cache)"),
      path("state_dir", o.state_dir, "Status, reports, database, cache, logs"),
      path("status_file", o.status_file, "Stop file: the daemon ends when it contains 0"),
      seconds("interval", o.interval, "Seconds at least between two polls (60)"),
      seconds("build_timeout", o.build_timeout, "Seconds that a build may take (3600)"),
      seconds("benchmark_timeout", o.benchmark_timeout, "Seconds that a launch may take (300)"),
      seconds("timeout", o.benchmark_timeout, "The same, as FAI-PEP calls it"),
      seconds("fetch_timeout", o.fetch_timeout,
              "Seconds that a fetch may go without anything arriving (600)"),
      seconds("confirmation_time", o.confirmation_time,
              "Seconds that the confirmations of one commit may take; the rest waits for idle time (3600)"),
      number("max_launches", o.max_launches, "Launches per screen, at most (66)"),
      number("jobs", o.jobs, "TANDEM_JOBS of a build; 0: as many as cores"),
      choice("sandbox", o.sandbox, config::isolation, "auto, required or none"),
      paths("sandbox_read", o.sandbox_read, "Paths that builds and benchmarks may read"),
      choice("build_memory", o.build_memory, config::bytes,
             "Bytes of memory of one build, or of both programs of a launch, such as 8G; 0: no limit (3/4 of "
             "the host's)"),
      choice("build_disk", o.build_disk, config::bytes, "Bytes that one build or benchmark may write (64G)"),
      number("build_processes", o.build_processes, "Processes of one build or benchmark at a time (4096)"),
      choice("cache_budget", o.cache_budget, config::bytes, "Bytes that built executables may take (20G)"),
      number("keep_commits", o.keep_commits, "Newest commits whose verdicts are kept (5000)"),
      number("keep_samples", o.keep_samples, "Newest commits of which every launch is kept (500)"),
      number("keep_logs", o.keep_logs, "Newest builds whose logs are kept (200)"),
      choice("ccache_budget", o.ccache_budget, config::bytes,
             "Bytes that ccache may take for each watch (5G)"),
      number("layouts", o.layouts, "Linkings per side that a screen draws from (8)"),
      text("cxxflags", o.cxxflags, "Flags of the C and C++ compilers, \"-O3 -march=native\" (-O2)"),
      text("ldflags", o.ldflags, "Flags of the linker"),
  };
}

Flags harness_flags(config::Overrides& overrides) {
  auto& o = overrides.harness;
  return {
      path("model_cache", o.model_cache, "Downloaded model files (STATE_DIR/models)"),
      path("root_model_dir", o.root_model_dir, "What // at the beginning of a file's location means"),
      text("run_type", o.run_type, "How results are labelled: benchmark, verify, regress"),
      {"regressed_types", "Types that results mark as regressed, a,b", Takes::one,
       [&o](const std::string& list) { o.regressed_types = config::split_platforms(list); }},
      path("local_reporter", o.local_reporter, "A directory for FAI-PEP's tree of results"),
      path("simple_local_reporter", o.simple_local_reporter, "A directory for IDENTIFIER/data.txt"),
      path("csv_reporter", o.csv_reporter, "A file that gets a line for each series"),
      path("json_lines_reporter", o.json_lines_reporter, "A file that gets a line for each run"),
      yes("screen_reporter", o.screen_reporter, "A table on the screen"),
      text("remote_reporter", o.remote_reporter, "URL|CATEGORY of a server that keeps results"),
      path("remote_access_token_file", o.remote_access_token_file, "Holds the server's token, mode 600"),
      text("remote_access_token", o.remote_access_token, "The token itself; every user can read it here"),
      text("backend", o.backend, "Given to every program as --backend, and to results as a label"),
      text("command_args", o.command_args, "Added to every command with {program}"),
      environment(o.env),
      {"string_map", "Further placeholders: {\"NAME\": \"value\"}", Takes::one,
       [&o](const std::string& json) { o.string_map = config::string_map_of(json); }},
      text("devices", o.devices, "Named core sets of this host: cpu0-3, node1, performance, … (host)"),
      text("excluded_devices", o.excluded_devices, "Those of them that are left out"),
      paths("shared_libs", o.shared_libs, "Shared libraries, or folders of them, that programs load"),
      text("user_identifier", o.user_identifier, "Kept with the results"),
      text("user_string", o.user_string, "Kept with the results"),
  };
}

void set_defaults(const Flags& flags, const std::vector<std::string>& given,
                  const std::vector<std::pair<std::string, std::string>>& defaults) {
  for (const auto& [written, value] : defaults) {
    std::string name = written.substr(std::min(written.find_first_not_of('-'), written.size()));
    std::replace(name.begin(), name.end(), '-', '_');
    const auto flag =
        std::find_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.name == name; });
    if (flag == flags.end())
      throw InputError(
          fmt::format("default_args: there is no flag --{}; tandem run --help lists them", name));
    const auto is_same = [&](const std::string& other) { return one_name(other) == one_name(name); };
    if (std::none_of(given.begin(), given.end(), is_same)) flag->set(value);
  }
}

}  // namespace tandem::daemon::commands
