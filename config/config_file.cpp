#include "config/config_file.hpp"

#include "config/checks.hpp"
#include "specs/foundation/error.hpp"
#include "specs/json/document.hpp"

namespace tandem::config {
namespace {

using specs::JsonDocument;
using specs::Keys;
using specs::Node;
using specs::Problems;

const Keys top_keys = {
    "state_dir",    "exec_dir",        "status_file",       "interval",          "once",
    "max_launches", "build_timeout",   "benchmark_timeout", "confirmation_time", "jobs",
    "cxxflags",     "ldflags",         "sandbox",           "sandbox_read",      "build_memory",
    "build_disk",   "build_processes", "cache_budget",      "ccache_budget",     "layouts",
    "keep_commits", "keep_samples",    "keep_logs",         "calibrate",         "fetch_timeout",
    "watch"};
const Keys watch_keys = {
    "name",           "repo",      "repo_dir",       "remote_repository", "branch",     "framework",
    "frameworks_dir", "platforms", "benchmark_file", "base_commit",       "commit",     "commit_file",
    "step",           "control",   "regression",     "ab_testing",        "same_host",  "margin",
    "walk",           "catch_up",  "control_tag",    "key_file",          "token_file", "needs_git"};

void refuse_if(const std::string& complaint, const Node& node) {
  if (!complaint.empty()) node.fail(complaint);
}

/// Reads the fields of one object; each problem costs only its own field.
class FieldReader {
 public:
  FieldReader(const Node& object, const std::filesystem::path& folder, Problems& problems)
      : object_(object), folder_(folder), problems_(problems) {}

  void text(const char* key, std::optional<std::string>& to, std::string (*complain)(const std::string&)) {
    with(key, [&](const Node& node) {
      std::string value = node.as_string();
      if (complain != nullptr) refuse_if(complain(value), node);
      to = std::move(value);
    });
  }

  void path(const char* key, std::optional<std::filesystem::path>& to) {
    with(key, [&](const Node& node) { to = read_path(node); });
  }

  /// A URL stays as it is; a path counts from the folder of the file.
  void repository(const char* key, std::optional<std::string>& to) {
    with(key, [&](const Node& node) {
      const std::string value = node.as_string();
      to = is_url(value) ? value : read_path(node).string();
    });
  }

  void flag(const char* key, std::optional<bool>& to) {
    with(key, [&](const Node& node) { to = node.as_bool(); });
  }

  void count(const char* key, std::optional<int>& to, int least, int most) {
    with(key, [&](const Node& node) { to = static_cast<int>(node.as_integer(least, most)); });
  }

  /// A number, or a text such as "20G".
  void size(const char* key, std::optional<std::uint64_t>& to) {
    with(key, [&](const Node& node) { attempt(node, [&] { to = bytes(node.scalar_text()); }); });
  }

  template <typename Value>
  void choice(const char* key, std::optional<Value>& to, Value (*read)(std::string_view)) {
    with(key, [&](const Node& node) { attempt(node, [&] { to = read(node.as_string()); }); });
  }

  void paths(const char* key, std::optional<std::vector<std::filesystem::path>>& to) {
    with(key, [&](const Node& node) {
      std::vector<std::filesystem::path> paths;
      for (const Node& item : node.items()) paths.push_back(read_path(item));
      to = std::move(paths);
    });
  }

  void duration(const char* key, std::optional<Seconds>& to, Seconds least) {
    with(key, [&](const Node& node) {
      const Seconds value{node.as_number()};
      refuse_if(complain_of_duration(value, least), node);
      to = value;
    });
  }

  void platforms(const char* key, std::optional<std::vector<std::string>>& to) {
    with(key, [&](const Node& node) {
      std::vector<std::string> names;
      if (node.kind() == specs::Kind::string) {
        names = split_platforms(node.as_string());
      } else {
        for (const Node& item : node.items()) names.push_back(item.as_string());
      }
      refuse_if(complain_of_platforms(names), node);
      to = std::move(names);
    });
  }

  template <typename Read>
  void with(const char* key, Read&& read) {
    if (const auto node = object_.find(key)) problems_.attempt([&] { read(*node); });
  }

 private:
  /// What is wrong with the value is said with its place in the file.
  template <typename Read>
  static void attempt(const Node& node, Read&& read) {
    std::string wrong;
    try {
      read();
    } catch (const specs::ProblemError&) {
      throw;
    } catch (const InputError& error) {
      wrong = error.what();
    }
    refuse_if(wrong, node);
  }

  std::filesystem::path read_path(const Node& node) const {
    const std::filesystem::path value = node.as_string();
    refuse_if(complain_of_path(value), node);
    return (folder_ / value).lexically_normal();
  }

  const Node& object_;
  const std::filesystem::path& folder_;
  Problems& problems_;
};

ConfigFile::Watch read_watch(const Node& node, const std::filesystem::path& folder, Problems& problems) {
  node.expect_keys(watch_keys, problems);
  ConfigFile::Watch watch;
  watch.source = specs::place(node.file(), node.position());
  FieldReader read(node, folder, problems);
  read.text("name", watch.name, complain_of_watch_name);
  read.text("repo", watch.repo, complain_of_repo);
  read.repository("repo_dir", watch.repo_dir);
  read.text("remote_repository", watch.remote_repository, complain_of_remote);
  read.text("branch", watch.branch, complain_of_branch);
  read.text("framework", watch.framework, complain_of_framework);
  read.path("frameworks_dir", watch.frameworks_dir);
  read.platforms("platforms", watch.platforms);
  read.path("benchmark_file", watch.benchmark_file);
  read.text("base_commit", watch.base_commit, complain_of_commit);
  read.text("commit", watch.commit, complain_of_commit);
  read.path("commit_file", watch.commit_file);
  read.count("step", watch.step, 1, most_steps);
  read.choice("control", watch.control, control_rule);
  read.text("control_tag", watch.control_tag, complain_of_commit);
  read.choice("walk", watch.walk, walk);
  read.choice("catch_up", watch.catch_up, catch_up);
  read.path("key_file", watch.key_file);
  read.path("token_file", watch.token_file);
  read.flag("needs_git", watch.needs_git);
  read.flag("regression", watch.regression);
  read.flag("ab_testing", watch.ab_testing);
  read.flag("same_host", watch.same_host);
  read.with("margin", [&](const Node& margin) {
    const double value = margin.as_number();
    refuse_if(complain_of_margin(value), margin);
    watch.margin = value;
  });
  return watch;
}

ConfigFile read_document(const Node& root, const std::filesystem::path& file, Problems& problems) {
  Keys known = top_keys;
  known.insert(known.end(), harness_keys().begin(), harness_keys().end());
  root.expect_keys(known, problems);
  ConfigFile config;
  config.file = file;
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  FieldReader read(root, folder, problems);
  read.path("state_dir", config.top.state_dir);
  read.path("exec_dir", config.top.exec_dir);
  read.path("status_file", config.top.status_file);
  read.duration("interval", config.top.interval, no_time);
  read.flag("once", config.top.once);
  read.count("max_launches", config.top.max_launches, 1, most_launches);
  read.duration("build_timeout", config.top.build_timeout, shortest_timeout);
  read.duration("benchmark_timeout", config.top.benchmark_timeout, shortest_timeout);
  read.duration("fetch_timeout", config.top.fetch_timeout, shortest_timeout);
  read.duration("confirmation_time", config.top.confirmation_time, shortest_timeout);
  read.count("jobs", config.top.jobs, 0, most_jobs);
  read.text("cxxflags", config.top.cxxflags, nullptr);
  read.text("ldflags", config.top.ldflags, nullptr);
  read.choice("sandbox", config.top.sandbox, isolation);
  read.paths("sandbox_read", config.top.sandbox_read);
  read.size("build_memory", config.top.build_memory);
  read.size("build_disk", config.top.build_disk);
  read.count("build_processes", config.top.build_processes, 0, most_processes);
  read.size("cache_budget", config.top.cache_budget);
  read.size("ccache_budget", config.top.ccache_budget);
  read.count("layouts", config.top.layouts, 1, most_layouts);
  read.flag("calibrate", config.top.calibrate);
  read.count("keep_commits", config.top.keep_commits, least_kept, most_kept);
  read.count("keep_samples", config.top.keep_samples, least_kept, most_kept);
  read.count("keep_logs", config.top.keep_logs, least_kept, most_kept);
  config.top.harness = read_harness(root, folder, problems);
  read.with("watch", [&](const Node& list) {
    for (const Node& item : list.items()) {
      problems.attempt([&] { config.watches.push_back(read_watch(item, folder, problems)); });
    }
  });
  return config;
}

}  // namespace

ConfigFile load_config(const std::filesystem::path& file, Problems& problems) {
  ConfigFile config;
  problems.attempt(
      [&] { config = read_document(JsonDocument::load(file, problems).root(), file, problems); });
  return config;
}

ConfigFile load_config(const std::filesystem::path& file) {
  Problems problems(Problems::Mode::stop_at_first);
  return load_config(file, problems);
}

ConfigFile parse_config(std::string text, const std::filesystem::path& file, Problems& problems) {
  ConfigFile config;
  problems.attempt([&] {
    config =
        read_document(JsonDocument::parse(std::move(text), file.string(), problems).root(), file, problems);
  });
  return config;
}

}  // namespace tandem::config
