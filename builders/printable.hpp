#pragma once

#include "specs/printable.hpp"

namespace tandem::builders {

using specs::Lines;
using specs::printable;

}  // namespace tandem::builders
