#pragma once

#include <stdexcept>
#include <string>

namespace tandem {

/// The ground under a step is broken: disk, descriptor, database. The step cannot go on; the daemon can.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a person wrote is wrong: a flag, a file, a spec. The message says where, what, and what to write
/// instead.
struct InputError : Error {
  using Error::Error;
};

}  // namespace tandem
