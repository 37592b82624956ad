#include "evaluation/workloads/workload.hpp"

const std::uint64_t tandem::evaluation::extra_percent = EXTRA_PERCENT;
