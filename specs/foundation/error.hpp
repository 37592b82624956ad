#pragma once

#include <stdexcept>
#include <string>

namespace tandem {

/// The host has failed: its disk, a descriptor, the database. The step cannot go on; the daemon can.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The whole host is in trouble (no room, a store that cannot be written), so no commit is to blame.
struct HostError : Error {
  using Error::Error;
};

/// What a person wrote is wrong: a flag, a file, a spec. The message says where, what, and what to write
/// instead.
struct InputError : Error {
  using Error::Error;
};

}  // namespace tandem
