#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "specs/json/problem.hpp"

namespace tandem::specs {

class Node;

/// What to build, for frameworks that have no script of the user's: the `build` object of a benchmark file or
/// of a suite. Texts hold no control characters, so that lists can be given to a script as lines.
struct BuildSection {
  std::string target;                ///< of the project's own build; empty: none
  std::vector<std::string> options;  ///< for the configuration or the compiler
  std::vector<std::string> sources;  ///< the user's own files, relative to `folder` and inside it
  std::vector<std::string> include;  ///< directories of the commit's tree, relative to it
  std::vector<std::string> libraries;
  std::optional<int> standard;   ///< of C++: 11, 14, 17, …
  std::filesystem::path folder;  ///< where the file lies that says this
  std::string file;
  Position where;

  /// Whether both say the same; where they stand does not count.
  [[nodiscard]] bool same_as(const BuildSection& other) const;
};

/// Reads the object. A source must be a regular file in the folder of its benchmark file, also after links
/// are followed.
[[nodiscard]] BuildSection read_build_section(const Node& node, Problems& problems);

/// The section of an object that may have one (a benchmark file, its model, a suite) is kept in `kept`; a
/// second one that says something else is a problem.
void keep_build_section(const Node& object, Problems& problems, std::optional<BuildSection>& kept);

/// Throws InputError if this framework could not build anything from the section: generic-cmake needs a
/// target or sources, generic-headers sources. Other frameworks have scripts of their own and are content.
void complain_of_build(const std::string& framework, const std::optional<BuildSection>& section);

}  // namespace tandem::specs
