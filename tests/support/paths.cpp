#include "support/paths.hpp"

namespace tandem::tests::paths {

const char* const source = TANDEM_SOURCE;
const char* const programs = TANDEM_PROGRAMS;
const char* const tandem = TANDEM_PROGRAM;
const char* const shim = TANDEM_SHIM;
const char* const linker = TANDEM_LINKER;
const char* const fetch_child = TANDEM_FETCH_CHILD;

}  // namespace tandem::tests::paths
