#include "daemon/harness/run_labels.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <random>

#include "runners/host/machine_facts.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/hashes.hpp"
#include "specs/json/document.hpp"

namespace tandem::daemon::harness {

namespace {

constexpr std::size_t id_digits = 32;
constexpr std::size_t hash_digits = 16;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string new_id(const RunRecord& record) {
  std::random_device random;
  Sha256 hash;
  hash.add_field(
      fmt::format("{} {} {} {}", record.time.time_since_epoch().count(), ::getpid(), random(), random()));
  hash.add_field(record.model + "\n" + record.identifier + "\n" + record.platform);
  return hash.finish().substr(0, id_digits);
}

std::vector<std::pair<std::string, std::string>> facts_of(const runners::MachineFacts& host) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* name, const std::optional<std::string>& value) {
    facts.emplace_back(name, value.value_or("unavailable"));
  };
  const auto yes_or_no = [](const std::optional<bool>& value) {
    return value ? std::optional<std::string>(*value ? "on" : "off") : std::nullopt;
  };
  add("kernel", host.kernel);
  add("cpu_model", host.cpu_model);
  add("microcode", host.microcode);
  add("governor", host.governor);
  add("turbo", yes_or_no(host.turbo));
  add("smt", yes_or_no(host.smt));
  add("load", host.load ? std::optional(fmt::format("{:.2f}", *host.load)) : std::nullopt);
  add("topology", host.topology);
  add("isa", fmt::format("{}", fmt::join(host.isa, " ")));
  return facts;
}

const Screened* verdict_on(const RunSamples::Kept& kept, const std::vector<Screened>& screened) {
  const auto found = std::find_if(screened.begin(), screened.end(), [&](const Screened& one) {
    return one.benchmark == kept.benchmark && one.metric.name == kept.metric.name;
  });
  return found == screened.end() ? nullptr : &*found;
}

/// Refuses a file that other users can read.
std::string read_token(const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    throw InputError(fmt::format("--remote_access_token_file: there is no file {}", file.string()));
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    throw InputError(
        fmt::format("--remote_access_token_file: others can read {0}; chmod 600 {0}", file.string()));
  }
  std::ifstream in(file);
  std::string token;
  in >> token;
  if (token.empty())
    throw InputError(fmt::format("--remote_access_token_file: {} holds no token", file.string()));
  return token;
}

}  // namespace

RunRecord record_of(const Test& test, const TestRun& run, const ReportedBuild& treatment,
                    const std::optional<ReportedBuild>& control, const RunLabels& labels) {
  RunRecord record;
  record.run_type = labels.run_type;
  record.time = std::chrono::system_clock::now();
  record.model = test.spec.model;
  if (record.model.empty()) record.model = labels.framework.empty() ? treatment.commit : labels.framework;
  record.metric = test.spec.metric.empty() ? "delay" : test.spec.metric;
  record.identifier = test.spec.identifier.empty() ? program_name(test) : test.spec.identifier;
  record.group = test.spec.group;
  record.framework = labels.framework.empty() ? test.spec.framework : labels.framework;
  if (record.framework.empty()) record.framework = "generic";
  record.backend = labels.backend;
  record.platform = labels.device == "host" ? host_name() : host_name() + "-" + labels.device;
  record.platform_hash = device_hash(labels);
  record.command = labels.command;
  record.user_identifier = labels.user_identifier;
  record.user_string = labels.user_string;
  record.treatment = treatment;
  record.control = control;
  record.statistics = test.spec.statistics;
  record.host = facts_of(labels.host);
  if (labels.isolation.kind != runners::IsolationFacts::Kind::unknown)
    record.host.emplace_back("isolation", runners::name_of(labels.isolation.kind));
  record.failure = run.failure;
  for (const RunSamples::Kept& kept : run.series) {
    ReportedSeries series = kept.series;
    if (const Screened* one = verdict_on(kept, run.screened)) {
      const auto& ratio = one->verdict.ratio;
      series.verdict = {analysis::name_of(one->verdict.outcome), ratio.estimate, ratio.low, ratio.high};
    }
    const auto& types = labels.regressed_types;
    series.regressed = std::find(types.begin(), types.end(), series.type) != types.end() ||
                       std::find(types.begin(), types.end(), series.key()) != types.end();
    record.series.push_back(std::move(series));
  }
  record.id = new_id(record);
  return record;
}

std::string device_hash(const RunLabels& labels) {
  Sha256 hash;
  hash.add_field(runners::host_identity(labels.host));
  hash.add_field(labels.device);
  return hash.finish().substr(0, hash_digits);
}

harness::ReporterSettings reporters_of(const config::HarnessSettings& settings,
                                       const std::filesystem::path& state_dir) {
  harness::ReporterSettings reporters;
  reporters.local_reporter = settings.local_reporter;
  reporters.simple_local_reporter = settings.simple_local_reporter;
  reporters.screen_reporter = settings.screen_reporter;
  reporters.csv_reporter = settings.csv_reporter;
  reporters.json_lines_reporter = settings.json_lines_reporter;
  reporters.remote_reporter = settings.remote_reporter;
  reporters.remote_access_token = settings.remote_access_token;
  if (!settings.remote_access_token_file.empty())
    reporters.remote_access_token = read_token(settings.remote_access_token_file);
  reporters.spool = state_dir / "spool";
  return reporters;
}

std::vector<std::string> without_secrets(std::vector<std::string> words) {
  constexpr std::array<std::string_view, 2> secret = {"--remote_access_token", "--remote-access-token"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view flag : secret) {
      if (words[i] == flag && i + 1 < words.size()) words[i + 1] = "…";
      if (words[i].starts_with(std::string(flag) + "=")) words[i] = std::string(flag) + "=…";
    }
  }
  return words;
}

namespace {

namespace fs = std::filesystem;
using specs::JsonDocument;
using specs::Node;

fs::path read_program(const Node& node) {
  const fs::path path = fs::absolute(node.as_string()).lexically_normal();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) node.fail("there is no such file; write the path of a program");
  return path;
}

InfoBuild read_build(const Node& node) {
  InfoBuild build;
  if (const auto commit = node.find("commit")) build.commit = commit->as_string();
  if (const auto time = node.find("commit_time")) build.commit_time = time->as_integer();
  if (const auto program = node.find("program")) build.program = read_program(*program);
  if (const auto programs = node.find("programs")) {
    for (const specs::Member& member : programs->members()) {
      const fs::path path = read_program(member.value.at("location"));
      (member.key == "program" ? build.program : build.programs[member.key]) = path;
    }
  }
  if (const auto map = node.find("string_map")) {
    for (const specs::Member& member : map->members())
      build.string_map.emplace(member.key, member.value.scalar_text());
  }
  if (const auto diff = node.find("diff")) build.diff = diff->scalar_text();
  if (const auto version = node.find("version")) build.version = version->scalar_text();
  if (build.program.empty() && build.commit.empty())
    node.fail("names neither a program nor a commit; add \"programs\": {\"program\": {\"location\": …}}");
  return build;
}

std::vector<std::string> read_texts(const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list.items()) texts.push_back(item.as_string());
  return texts;
}

}  // namespace

RunInfo read_run_info(const std::string& text_or_file) {
  const bool is_text = text_or_file.find_first_not_of(" \t\r\n") != std::string::npos &&
                       text_or_file[text_or_file.find_first_not_of(" \t\r\n")] == '{';
  const Node root =
      (is_text ? JsonDocument::parse(text_or_file, "--info") : JsonDocument::load(text_or_file)).root();
  RunInfo info;
  if (const auto treatment = root.find("treatment")) info.treatment = read_build(*treatment);
  if (const auto control = root.find("control")) info.control = read_build(*control);
  if (info.control && !info.treatment) root.fail("has a control without a treatment; add \"treatment\"");
  if (const auto libraries = root.find("shared_libs")) {
    for (const std::string& library : read_texts(*libraries))
      info.shared_libs.push_back(fs::absolute(library).lexically_normal());
  }
  if (const auto types = root.find("regressed_types")) info.regressed_types = read_texts(*types);
  if (const auto type = root.find("run_type"))
    info.run_type = type->as_choice({"benchmark", "verify", "regress"});
  if (const auto user = root.find("user")) info.user = user->scalar_text();
  return info;
}

}  // namespace tandem::daemon::harness
