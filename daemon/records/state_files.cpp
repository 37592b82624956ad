#include "daemon/records/state_files.hpp"

#include <nlohmann/json.hpp>

#include "daemon/records/json_values.hpp"

namespace tandem::daemon::report {
namespace {

constexpr const char* marker_schema = "tandem.state";
constexpr const char* folder_schema = "tandem.owned/1";
constexpr const char* status_schema = "tandem.status/1";

bool has_schema(const Json& value, const char* schema) {
  const auto found = value.is_object() ? value.find("schema") : value.end();
  return value.is_object() && found != value.end() && *found == schema;
}

}  // namespace

std::string marker_json(const StateMarker& marker) {
  const Json value = {{"schema", marker_schema}, {"version", marker.version}, {"id", marker.id}};
  return value.dump(2) + "\n";
}

std::optional<StateMarker> marker_from_json(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  if (!has_schema(value, marker_schema)) return std::nullopt;
  try {
    constexpr std::uint64_t most = 1'000'000;
    const std::uint64_t version = count_at(value, "version");
    if (version == 0 || version > most) return std::nullopt;
    return StateMarker{static_cast<int>(version), text_at(value, "id")};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string owned_folder_json(const OwnedFolder& folder) {
  const Json value = {{"schema", folder_schema}, {"owner", folder.owner}};
  return value.dump(2) + "\n";
}

std::optional<OwnedFolder> owned_folder_from_json(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  if (!has_schema(value, folder_schema)) return std::nullopt;
  try {
    return OwnedFolder{text_at(value, "owner")};
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_status_json(const std::string& text) {
  return has_schema(Json::parse(text, nullptr, false), status_schema);
}

}  // namespace tandem::daemon::report
