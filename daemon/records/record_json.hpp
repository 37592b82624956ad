#pragma once

#include <string>

#include "daemon/records/record.hpp"

namespace tandem::daemon::report {

/// The text of `report.json`, pure. `record_from_json` reads back exactly what `record_json` wrote, or
/// what earlier versions of it wrote, and throws Error for anything else.
[[nodiscard]] std::string record_json(const Record& record);
[[nodiscard]] Record record_from_json(const std::string& text);

}  // namespace tandem::daemon::report
