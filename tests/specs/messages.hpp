#pragma once

#include <string>

#include "specs/foundation/error.hpp"

namespace tandem::tests {

/// The message of the InputError that `work` throws, or "no error".
template <typename Work>
std::string message_of(Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace tandem::tests
