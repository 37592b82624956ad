#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "builders/builder.hpp"
#include "builders/source.hpp"
#include "config/settings.hpp"
#include "daemon/building.hpp"
#include "daemon/loop.hpp"

namespace tandem::daemon {

/// What the builds of one watch rest on.
struct BuildGround {
  const config::Settings& settings;
  const config::WatchSettings& watch;
  const Installation& installation;
  const Isolation& isolation;
  std::filesystem::path mirror;
  builders::Source source;
  std::optional<specs::BuildSection> section;
};

/// Where the watch's branch comes from. Throws InputError.
[[nodiscard]] builders::Source source_of(const config::WatchSettings& watch);

[[nodiscard]] builders::BuildSettings build_settings(const BuildGround& ground, const std::string& platform);

}  // namespace tandem::daemon
