#pragma once

#include <string>
#include <vector>

#include "daemon/records/request.hpp"

namespace tandem::daemon::report {

/// One line per request for a terminal, with what comes of it below; says so if there is none.
[[nodiscard]] std::string requests_text(const std::vector<Request>& requests);

/// A JSON array.
[[nodiscard]] std::string requests_json(const std::vector<Request>& requests);

}  // namespace tandem::daemon::report
