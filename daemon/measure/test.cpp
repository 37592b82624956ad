#include "daemon/measure/test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "runners/results/adapter.hpp"
#include "specs/benchmark/placeholders.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::daemon {

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> values_of(const Test& test, const builders::Executable& executable,
                                             const fs::path& scratch) {
  std::map<std::string, std::string> values = test.values;
  for (const auto& [name, path] : executable.further_programs) values[name] = path.string();
  values["BUILDDIR"] = executable.directory.empty() ? executable.program.parent_path().string()
                                                    : executable.directory.string();
  for (const char* name : {"TGTDIR", "HOSTDIR", "TEMPDIR"}) values[name] = scratch.string();
  return values;
}

/// Files that no download brings have a place in a directory of the runner: it is written where they are
/// named.
std::string with_places(std::string text, const std::vector<specs::FileSpec>& files) {
  for (const specs::FileSpec& file : files) {
    if (!is_of_the_runner(file)) continue;
    const std::string name = "{" + file.key + "}";
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += file.location.size())
      text.replace(at, name.size(), file.location);
  }
  return text;
}

std::vector<specs::HostCommand> with_places(std::vector<specs::HostCommand> commands,
                                            const std::vector<specs::FileSpec>& files) {
  for (specs::HostCommand& command : commands) command.text = with_places(std::move(command.text), files);
  return commands;
}

bool mentions(const std::vector<specs::HostCommand>& commands, const char* name) {
  return std::any_of(commands.begin(), commands.end(), [&](const specs::HostCommand& command) {
    return command.text.find(name) != std::string::npos;
  });
}

/// Whether something that is written before one launch is read in a later one.
bool keeps_something(const Test& test) {
  return mentions(test.spec.model_before, "{HOSTDIR}") || mentions(test.spec.before, "{HOSTDIR}");
}

/// One directory for each side, of equal length, that every user may write in: programs in a sandbox run as
/// another one.
void add_kept_directories(const Test& test, const fs::path& scratch, runners::ProgramPair& pair) {
  const std::string name = std::to_string(std::hash<std::string>{}(test.prefix));
  pair.scratch_names.erase("HOSTDIR");
  pair.kept_names.insert("HOSTDIR");
  const auto make = [&](const char* side) {
    const fs::path path = scratch / "kept" / name / side;
    std::error_code error;
    fs::create_directories(path, error);
    if (!error) fs::permissions(path, fs::perms::all, error);
    if (error) throw Error(fmt::format("cannot make {}: {}", path.string(), error.message()));
    return path.string();
  };
  pair.control_values["HOSTDIR"] = make("c");
  pair.treatment_values["HOSTDIR"] = make("t");
}

/// The folders of the libraries, in front of what the environment already says.
std::string library_path(const std::vector<std::string>& folders,
                         const std::map<std::string, std::string>& env) {
  std::string path = fmt::format("{}", fmt::join(folders, ":"));
  const auto own = env.find("LD_LIBRARY_PATH");
  const char* inherited = std::getenv("LD_LIBRARY_PATH");
  if (own != env.end()) return path + ":" + own->second;
  return inherited != nullptr && *inherited != 0 ? path + ":" + inherited : path;
}

std::optional<runners::Protocol> wish_of(specs::Protocol protocol) {
  switch (protocol) {
    case specs::Protocol::automatic:
      return std::nullopt;
    case specs::Protocol::sdk:
      return runners::Protocol::slices;
    case specs::Protocol::observer:
      return runners::Protocol::observer;
    case specs::Protocol::command:
      return runners::Protocol::command;
    case specs::Protocol::google_benchmark:
      return runners::Protocol::google_benchmark;
    case specs::Protocol::benchdnn:
      return runners::Protocol::benchdnn;
  }
  return std::nullopt;
}

}  // namespace

bool is_of_the_runner(const specs::FileSpec& file) {
  return file.role == specs::FileSpec::Role::written || file.location.starts_with('{');
}

std::vector<Test> tests_of(const std::vector<specs::BenchmarkSpec>& specs, const TestAdditions& additions) {
  std::vector<Test> tests;
  std::map<std::string, int> models, metrics;
  for (const specs::BenchmarkSpec& spec : specs) {
    ++models[spec.identifier];
    ++metrics[spec.model + "/" + spec.identifier];
  }
  if (specs.empty()) {
    Test own_list;
    own_list.commands = {{"{program}"}};
    for (std::string& word : specs::split_words(additions.arguments))
      own_list.commands.front().push_back(std::move(word));
    tests.push_back(std::move(own_list));
  }
  for (const specs::BenchmarkSpec& spec : specs) {
    Test test;
    test.prefix = spec.identifier;
    if (models[spec.identifier] > 1) test.prefix = spec.model + "/" + spec.identifier;
    if (metrics[spec.model + "/" + spec.identifier] > 1) test.prefix += "/" + spec.metric;
    for (const std::string& command : spec.commands)
      test.commands.push_back(specs::split_words(with_places(command, spec.files)));
    if (spec.timeout) test.deadline = std::chrono::duration_cast<std::chrono::nanoseconds>(*spec.timeout);
    test.protocol = wish_of(spec.protocol);
    if (!test.protocol && !spec.converter.name.empty()) test.protocol = runners::Protocol::observer;
    test.further_metrics = spec.metrics;
    test.golden = spec.golden;
    test.instructions = spec.instructions;
    test.spec = spec;
    for (auto* commands :
         {&test.spec.model_before, &test.spec.before, &test.spec.after, &test.spec.model_after})
      *commands = with_places(std::move(*commands), spec.files);
    tests.push_back(std::move(test));
  }
  specs::Problems problems(specs::Problems::Mode::stop_at_first);
  check_converters(specs, problems);
  std::vector<std::string> folders;
  for (const fs::path& library : additions.shared_libs)
    folders.push_back((fs::is_directory(library) ? library : library.parent_path()).string());
  for (Test& test : tests) {
    for (const fs::path& library : additions.shared_libs) {
      const auto files = files_of_library(library);
      test.readable.insert(test.readable.end(), files.begin(), files.end());
    }
    std::map<std::string, std::string> env = test.spec.env;
    env.insert(additions.env.begin(), additions.env.end());
    if (!folders.empty()) env["LD_LIBRARY_PATH"] = library_path(folders, env);
    for (const auto& [name, value] : env) test.environment.push_back(fmt::format("{}={}", name, value));
    test.margin = test.spec.margin.value_or(additions.margin);
  }
  return tests;
}

void check_converters(const std::vector<specs::BenchmarkSpec>& specs, specs::Problems& problems) {
  const auto check = [&](const specs::ConverterSpec& converter, const std::string& file,
                         specs::Position where) {
    if (converter.name.empty() || runners::find_adapter(converter.name) != nullptr) return;
    const auto known = runners::adapter_names();
    const auto meant = nearest(converter.name, known);
    problems.add({file, where, "",
                  fmt::format("unknown converter {}; {}known converters: {}", in_quotes(converter.name),
                              meant ? fmt::format("did you mean {}? ", in_quotes(*meant)) : "",
                              list_in_quotes(known))});
  };
  for (const specs::BenchmarkSpec& spec : specs) {
    check(spec.converter, spec.file, spec.where);
    for (const specs::FileSpec& file : spec.files) check(file.converter, file.file, file.where);
  }
}

runners::CpuChoice cpus_of(const Test& test, const runners::CpuChoice& host) {
  return test.spec.cpus.empty() ? host : runners::choose_cpus(runners::read_topology(), test.spec.cpus);
}

runners::ProgramPair pair_of(const Test& test, const builders::Executable& control,
                             const builders::Executable& treatment, const std::filesystem::path& scratch) {
  runners::ProgramPair pair;
  pair.control = control.program;
  pair.treatment = treatment.program;
  pair.control_folder = control.directory;
  pair.treatment_folder = treatment.directory;
  pair.commands = test.commands;
  pair.environment = test.environment;
  pair.converter = test.spec.converter;
  pair.deadline = test.deadline;
  pair.readable = test.readable;
  pair.protocol = test.protocol;
  pair.further_metrics = test.further_metrics;
  pair.golden = test.golden;
  pair.instructions = test.instructions;
  pair.control_values = values_of(test, control, scratch);
  pair.treatment_values = values_of(test, treatment, scratch);
  const specs::BenchmarkSpec& spec = test.spec;
  pair.before = spec.before;
  pair.after = spec.after;
  pair.before_first = spec.model_before;
  pair.after_last = spec.model_after;
  // FAI-PEP's programs may ask which side they are.
  pair.tell_side = !spec.model.empty();
  for (const specs::FileSpec& file : spec.files) {
    if (!file.converter.name.empty()) pair.written.push_back(file);
  }
  pair.repeat = static_cast<std::uint64_t>(spec.repeat);
  if (spec.ignore_status) pair.status = runners::ProgramPair::Status::any;
  pair.cpus = spec.cpus;
  pair.direction = spec.direction;
  if (keeps_something(test)) add_kept_directories(test, scratch, pair);
  return pair;
}

std::vector<fs::path> files_of_library(const fs::path& library) {
  std::vector<fs::path> files = {library};
  const std::string name = library.filename().string();
  const auto ending = name.find(".so");
  std::error_code error;
  if (ending == std::string::npos || fs::is_directory(library, error)) return files;
  const std::string stem = name.substr(0, ending + 3);
  for (const auto& entry : fs::directory_iterator(library.parent_path(), error)) {
    const std::string other = entry.path().filename().string();
    const bool is_version = other == stem || other.starts_with(stem + ".");
    if (is_version && other != name && entry.exists(error)) files.push_back(entry.path());
  }
  return files;
}

std::optional<std::string> unknown_placeholder(const Test& test, const builders::Executable& executable) {
  auto values = values_of(test, executable, {});
  for (const char* of_the_runner : {"program", "INDEX"}) values[of_the_runner] = {};
  std::string known;
  for (const auto& [name, value] : values) known += (known.empty() ? "" : ", ") + name;
  for (const auto& command : test.commands) {
    for (const std::string& word : command) {
      std::size_t from = 0;
      while (const auto placeholder = specs::next_placeholder(word, from)) {
        if (!values.contains(placeholder->name)) {
          return fmt::format("the placeholder {{{}}} has no value in this build; known are {}",
                             placeholder->name, known);
        }
        from = placeholder->end;
      }
    }
  }
  return std::nullopt;
}

std::string program_name(const Test& test) {
  return test.prefix.empty() ? "program" : test.prefix;
}

std::string full_name(const Test& test, const std::string& benchmark) {
  return test.prefix.empty() ? benchmark : fmt::format("{}/{}", test.prefix, benchmark);
}

namespace {

constexpr const char* library_variable = "LD_LIBRARY_PATH=";

void add_library_folders(const std::set<std::string>& folders, std::vector<std::string>& environment) {
  if (folders.empty()) return;
  const auto named = [](const std::string& entry) { return entry.starts_with(library_variable); };
  auto entry = std::find_if(environment.begin(), environment.end(), named);
  if (entry == environment.end()) entry = environment.insert(environment.end(), library_variable);
  for (const std::string& folder : folders) {
    const std::size_t at = std::string_view(library_variable).size();
    if (entry->find(folder, at) != std::string::npos) continue;  // brought before
    entry->insert(at, entry->size() > at ? folder + ":" : folder);
  }
}

}  // namespace

std::optional<specs::FileFailure> bring_files(Test& test, const specs::ModelFileSettings& settings,
                                              const specs::ShowDownload& show, const std::stop_token& stop) {
  const specs::BenchmarkSpec& spec = test.spec;
  const auto bring = [&](const specs::FileSpec& file) {
    return specs::provide_file(file, spec.format, spec.model, settings, show, stop);
  };
  for (const specs::FileSpec& file : spec.files) {
    if (is_of_the_runner(file)) continue;
    const auto brought = bring(file);
    if (const auto* failure = std::get_if<specs::FileFailure>(&brought)) return *failure;
    test.values[file.key] = std::get<std::filesystem::path>(brought).string();
  }
  std::set<std::string> folders;
  for (const specs::FileSpec& library : spec.libraries) {
    const auto brought = bring(library);
    if (const auto* failure = std::get_if<specs::FileFailure>(&brought)) return *failure;
    const auto& path = std::get<std::filesystem::path>(brought);
    folders.insert(path.parent_path().string());
    for (const std::filesystem::path& file : files_of_library(path)) {
      if (std::find(test.readable.begin(), test.readable.end(), file) == test.readable.end())
        test.readable.push_back(file);
    }
  }
  add_library_folders(folders, test.environment);
  return std::nullopt;
}

}  // namespace tandem::daemon
