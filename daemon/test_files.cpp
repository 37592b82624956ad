#include "daemon/test_files.hpp"

#include <algorithm>
#include <set>

namespace tandem::daemon {
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
