#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "builders/build_script.hpp"
#include "builders/builder.hpp"
#include "builders/commit.hpp"
#include "runners/process/sandbox.hpp"

namespace tandem::builders {

/// A directory of a build: where it lies on the host, and under which path the build sees it.
struct Room {
  std::filesystem::path host;
  std::filesystem::path seen;
  runners::Sandbox::Access access = runners::Sandbox::Access::write;
};

/// The directories of one build. In a sandbox each has a fixed path below /tandem, so that nothing of a
/// program depends on where it was built; without one, host and seen are the same.
struct BuildRooms {
  Room tree;
  Room out;
  Room home;
  Room objects;  ///< an empty directory for what the script makes on the way
  Room scratch;  ///< TMPDIR
  Room sources;  ///< the user's own, named in the `build` section
  Room links;    ///< what the final links read
  Room framework;
  Room sdk;        ///< this and the rest are empty if there is none
  Room ccache;     ///< shared by the builds of one watch and isolation
  Room compilers;  ///< links to ccache with the names of the compilers
  Room linker;     ///< the wrapper that captures links
};

/// Makes the directories that do not exist yet, below `work`, and finds ccache.
[[nodiscard]] BuildRooms make_rooms(const BuildSettings& settings, const std::filesystem::path& work,
                                    const BuildScript& script);

/// Drops what builds of every isolation left in their ccache, where a script may write anything.
void empty_ccache(const BuildSettings& settings);

/// Nothing if the build runs on the host itself. Hands the writable rooms to the sandbox's user, who also
/// runs foreign scripts without a sandbox.
[[nodiscard]] std::optional<runners::Sandbox> sandbox_of(const BuildSettings& settings,
                                                         const BuildRooms& rooms);

/// Everything a script finds in its environment but what the `build` section and the link capture add. The
/// same for every build of a commit: no name of the host, its time zone or its user is in it.
[[nodiscard]] std::vector<std::string> environment_of(const BuildSettings& settings, const BuildRooms& rooms,
                                                      const Commit& commit, unsigned jobs);

/// The compiler's flags as the settings and the link capture want them; part of the key.
[[nodiscard]] std::string flags_of(const BuildSettings& settings);

/// The file of this name that a search path leads to; empty if there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& search_path, const std::string& name);

}  // namespace tandem::builders
