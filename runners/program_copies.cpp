#include "runners/program_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "specs/error.hpp"

namespace tandem::runners {

namespace fs = std::filesystem;

ProgramCopies::ProgramCopies(const fs::path& scratch, const fs::path& control, const fs::path& treatment,
                             const LaunchPlan& plan) {
  std::string pattern = (scratch / "tandem-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(fmt::format("cannot make a directory in {}: {}", scratch.string(), std::strerror(errno)));
  }
  directory_ = pattern;
  try {
    const std::size_t longest =
        std::max(control.filename().native().size(), treatment.filename().native().size());
    for (std::size_t slot = 0; slot < 2; ++slot) {
      const fs::path& original = plan.side_of(slot) == Side::control ? control : treatment;
      // Names may differ in length; the folder makes up for it.
      const std::size_t filler = longest - original.filename().native().size();
      const fs::path folder = directory_ / fmt::format("{}{}", slot, std::string(filler, '-'));
      fs::create_directory(folder);
      paths_.at(slot) = folder / original.filename();
      fs::copy_file(original, paths_.at(slot));
      fs::permissions(paths_.at(slot), fs::perms::owner_all);
    }
  } catch (const fs::filesystem_error& error) {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    throw Error(fmt::format("cannot copy the programs: {}", error.what()));
  }
}

ProgramCopies::~ProgramCopies() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

}  // namespace tandem::runners
