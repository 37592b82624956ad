#pragma once

#include <set>
#include <string>

#include "config/settings.hpp"
#include "daemon/records/status.hpp"
#include "daemon/store/store.hpp"
#include "daemon/walk/control.hpp"

namespace tandem::daemon {

/// What of a walk must stay whatever its age: what standing records, controls and anchors rest on.
[[nodiscard]] std::set<std::string> needed_commits(const Line& line, const std::vector<Record>& records,
                                                   const std::string& start, const std::string& base);

/// What is measured again and again as long as a regression is open.
[[nodiscard]] std::set<std::string> commits_of_living(const store::Store& store);

/// The same of a database that another process may write; nothing if there is none. Throws Error.
[[nodiscard]] std::set<std::string> commits_of_living(const std::filesystem::path& database);

/// Removes the build logs of these commits. Only files that a build of this platform names so are touched.
void remove_logs(const std::filesystem::path& state_dir, const std::string& platform,
                 const std::set<std::string>& commits);

/// How much the parts of the state directory take, each with its rule.
void show_storage(Status& status, const store::Store& store, const config::Settings& settings);

}  // namespace tandem::daemon
