#include "evaluation/workloads/workload.hpp"

const std::uint64_t tandem::evaluation::extra_permille = EXTRA_PERMILLE;
