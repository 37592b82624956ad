#pragma once

#include <chrono>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace tandem::config {

// Each says what is wrong with a value and what to write, or nothing (an empty string) if it is good. The
// config file's reader puts file and line in front, `merge` the name of the flag.

[[nodiscard]] std::string complain_of_watch_name(const std::string& name);
[[nodiscard]] std::string complain_of_repo(const std::string& kind);
[[nodiscard]] std::string complain_of_branch(const std::string& branch);
[[nodiscard]] std::string complain_of_remote(const std::string& remote);
[[nodiscard]] std::string complain_of_framework(const std::string& framework);
[[nodiscard]] std::string complain_of_platforms(const std::vector<std::string>& platforms);
[[nodiscard]] std::string complain_of_commit(const std::string& commit);
[[nodiscard]] std::string complain_of_path(const std::filesystem::path& path);
[[nodiscard]] std::string complain_of_margin(double margin);
[[nodiscard]] std::string complain_of_duration(std::chrono::duration<double> duration,
                                               std::chrono::duration<double> least);
[[nodiscard]] std::string complain_of_count(long long count, long long least, long long most);

constexpr int most_steps = 1'000'000;
constexpr int most_launches = 100'000;
constexpr int most_jobs = 4096;
constexpr int most_processes = 1'000'000;
constexpr int most_layouts = 64;
constexpr int least_kept = 1;
constexpr int most_kept = 100'000'000;
constexpr std::chrono::duration<double> no_time{0};
constexpr std::chrono::duration<double> shortest_timeout{0.001};
constexpr std::chrono::duration<double> longest_time{366.0 * 24 * 3600};

/// Whether `repo_dir` is fetched from elsewhere: "https://host/x.git", "git@host:x.git". All else is a path.
[[nodiscard]] bool is_url(const std::string& repo_dir);

}  // namespace tandem::config
