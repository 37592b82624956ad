#pragma once

#include <string>
#include <vector>

#include "daemon/records/record.hpp"
#include "daemon/records/request.hpp"

namespace tandem::daemon::report {

/// `report.md`: one screen for a person: what got slower, by how much, since which commit, the evidence, the
/// life, the command that reproduces it.
[[nodiscard]] std::string record_markdown(const Record& record);

/// One line per record for a list on a terminal, oldest first, with a heading; says so if there is none.
/// Records of one incident stand together between empty lines.
[[nodiscard]] std::string records_table(const std::vector<Record>& records);

/// A JSON array of `record_json` objects.
[[nodiscard]] std::string records_json(const std::vector<Record>& records);

/// One line per request for a terminal, with what comes of it below; says so if there is none.
[[nodiscard]] std::string requests_text(const std::vector<Request>& requests);

/// A JSON array.
[[nodiscard]] std::string requests_json(const std::vector<Request>& requests);

}  // namespace tandem::daemon::report
