#include "daemon/service/installation.hpp"

#include "specs/foundation/error.hpp"

namespace tandem::daemon {

namespace fs = std::filesystem;

Installation find_installation() {
  Installation installation;
  std::error_code error;
  installation.program = fs::read_symlink("/proc/self/exe", error);
  if (error) throw Error("cannot find this program's own file");
  const fs::path installed = installation.program.parent_path().parent_path() / "share" / "tandem";
  const fs::path tree = installation.program.parent_path().parent_path().parent_path();
  const bool is_installed = fs::exists(installed / "sdk" / "tandem.hpp", error);
  installation.sdk_dir = is_installed ? installed / "sdk" : tree / "runners" / "sdk";
  installation.frameworks_dir = is_installed ? installed / "frameworks" : tree / "specs" / "frameworks";
  const fs::path libexec =
      (is_installed ? installed.parent_path().parent_path() : installation.program.parent_path()) /
      "libexec" / "tandem";
  installation.shim = libexec / "tandem-shim";
  installation.linker = libexec / "linker";
  installation.host_check = libexec / "tandem-host-check";
  return installation;
}

}  // namespace tandem::daemon
