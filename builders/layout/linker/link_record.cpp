#include "builders/layout/linker/link_record.hpp"

#include <cerrno>
#include <fstream>
#include <system_error>

namespace tandem::builders {
namespace {

// Fields end in a NUL, the one byte that no path and no message holds.
constexpr const char* record_title = "tandem link 1";
constexpr const char* last = "end";

}  // namespace

void write_record(const std::filesystem::path& file, const LinkRecord& record) {
  std::string text;
  const auto add = [&](const std::string& field) { text.append(field).push_back('\0'); };
  add(record_title);
  for (const auto* field :
       {&record.output, &record.directory, &record.kind, &record.asked, &record.build_id, &record.reason}) {
    add(*field);
  }
  for (const auto& path : record.inputs) add("i" + path);
  for (const auto& path : record.system) add("s" + path);
  add(last);
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

std::optional<LinkRecord> record_from(const std::string& text) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    if (end == std::string::npos) return std::nullopt;
    fields.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (fields.size() < 8 || fields.front() != record_title || fields.back() != last) return std::nullopt;
  LinkRecord record{fields[1], fields[2], fields[3], fields[4], fields[5], fields[6], {}, {}};
  for (std::size_t i = 7; i + 1 < fields.size(); ++i) {
    if (fields[i].size() < 2) return std::nullopt;
    if (fields[i].front() == 'i') {
      record.inputs.push_back(fields[i].substr(1));
    } else if (fields[i].front() == 's') {
      record.system.push_back(fields[i].substr(1));
    } else {
      return std::nullopt;
    }
  }
  return record;
}

}  // namespace tandem::builders
