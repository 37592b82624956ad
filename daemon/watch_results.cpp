// What a walk shares with a run by hand: the files of its specs, and what reporters are told.
#include <fmt/format.h>

#include "daemon/harness/run_labels.hpp"
#include "daemon/test_files.hpp"
#include "daemon/watch_walk.hpp"
#include "specs/error.hpp"

namespace tandem::daemon {
namespace {

const char* name_of(TrialResults::Type type) {
  switch (type) {
    case TrialResults::Type::benchmark:
      return "benchmark";
    case TrialResults::Type::verify:
      return "verify";
    case TrialResults::Type::regress:
      return "regress";
  }
  return "benchmark";
}

}  // namespace

bool WatchWalk::bring_files(const std::stop_token& stop) {
  if (files_are_here_) return true;
  specs::ModelFileSettings files;
  files.cache = settings_.harness.model_cache;
  files.root_model_dir = settings_.harness.root_model_dir;
  harness::RunLabels labels;
  labels.host = runners::read_machine_facts();
  if (!settings_.harness.devices.empty()) labels.device = settings_.harness.devices;
  for (Test& test : tests_) {
    test.values["DEVICEHASH"] = harness::device_hash(labels);
    const auto failure = daemon::bring_files(
        test, files, [&](const specs::DownloadProgress& now) { status_.phase = "downloading " + now.file; },
        stop);
    if (!failure || stop.stop_requested()) continue;
    if (failure->reason == specs::FileFailure::Reason::wrong)
      throw InputError(fmt::format("watch {}: {}", watch_.name, failure->what));
    fail("model files", failure->what);
    return false;
  }
  files_are_here_ = !stop.stop_requested();
  return files_are_here_;
}

void WatchWalk::report(const TrialResults& results, const std::string& platform) const {
  const config::HarnessSettings& settings = settings_.harness;
  harness::RunLabels labels;
  labels.run_type = name_of(results.type);
  labels.regressed_types = settings.regressed_types;
  if (results.type == TrialResults::Type::regress) {
    for (const auto& kept : results.run.series) {
      if (kept.benchmark == results.benchmark) labels.regressed_types.push_back(kept.series.key());
    }
  }
  labels.framework = watch_.framework;
  labels.backend = settings.backend.empty() ? platform : settings.backend;
  if (!settings.devices.empty()) labels.device = settings.devices;
  labels.user_identifier = settings.user_identifier;
  labels.user_string = settings.user_string;
  labels.host = runners::read_machine_facts();
  labels.isolation = status_.isolation_facts;
  const auto build_of = [](const builders::Commit& commit) {
    return reporters::ReportedBuild{commit.id, commit.committer_time};
  };
  ground_.report(harness::record_of(results.test, results.run, build_of(results.treatment),
                                    build_of(results.control), labels));
}

}  // namespace tandem::daemon
