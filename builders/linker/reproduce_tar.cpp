#include "builders/linker/reproduce_tar.hpp"

#include <charconv>
#include <stdexcept>

namespace tandem::builders {
namespace {

constexpr std::size_t block = 512;

[[noreturn]] void refuse() {
  throw std::runtime_error("the archive that lld wrote is not whole");
}

std::string_view field(std::string_view header, std::size_t at, std::size_t length) {
  const std::string_view all = header.substr(at, length);
  return all.substr(0, all.find('\0'));
}

std::size_t octal(std::string_view digits) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (error != std::errc{} || end != digits.data() + digits.size()) refuse();
  return value;
}

/// The path in a pax header: records "length key=value\n", the length being that of the whole record.
std::string path_in(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (error != std::errc{} || length > records.size() || length < digits + 2) refuse();
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with("path=")) return std::string(record.substr(5));
    records.remove_prefix(length);
  }
  refuse();
}

}  // namespace

void for_each_entry(std::string_view archive,
                    const std::function<void(const std::string& path, std::string_view content)>& entry) {
  std::string long_path;
  while (archive.size() >= block) {
    const std::string_view header = archive.substr(0, block);
    if (header.find_first_not_of('\0') == std::string_view::npos) return;  // the end is two empty blocks
    if (field(header, 257, 6) != "ustar") refuse();
    const std::size_t size = octal(field(header, 124, 12));
    const char type = header[156];
    archive.remove_prefix(block);
    if (size > archive.size()) refuse();
    const std::string_view content = archive.substr(0, size);
    if (type == 'x') {
      long_path = path_in(content);
    } else if (type == '0' || type == '\0') {
      std::string path(field(header, 0, 100));
      const std::string_view prefix = field(header, 345, 155);
      if (!prefix.empty()) path = std::string(prefix) + "/" + path;
      entry(long_path.empty() ? path : long_path, content);
      long_path.clear();
    } else {
      refuse();
    }
    const std::size_t padded = (size + block - 1) / block * block;
    if (padded > archive.size()) refuse();
    archive.remove_prefix(padded);
  }
  refuse();
}

}  // namespace tandem::builders
