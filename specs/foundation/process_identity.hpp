#pragma once

#include <string>

namespace tandem {

/// Which process of its number this is: the boot of the host and when the process began, as "BOOT/TICKS". A
/// number is used again, this is not. Empty: it cannot be read.
[[nodiscard]] std::string this_process();
/// The same of a living process; empty: there is none.
[[nodiscard]] std::string process_identity(int pid);

}  // namespace tandem
