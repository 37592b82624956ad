#include "daemon/store/store_file.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "daemon/store/schema.hpp"

namespace tandem::daemon::store {
namespace {

// https://www.sqlite.org/fileformat2.html
constexpr std::string_view magic{"SQLite format 3\0", 16};
constexpr std::size_t application_id_at = 68;
constexpr std::size_t header_bytes = 100;
constexpr std::size_t log_header_bytes = 32;
constexpr std::size_t frame_header_bytes = 24;
constexpr std::size_t log_page_size_at = 8;
/// The mark is written with the first pages of a store.
constexpr int most_frames = 10'000;

using Header = std::array<char, header_bytes>;

std::uint32_t number_at(const char* bytes) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = (number << 8U) | static_cast<unsigned char>(bytes[i]);
  return number;
}

bool is_ours(const Header& page) {
  return std::string_view(page.data(), magic.size()) == magic &&
         number_at(page.data() + application_id_at) == static_cast<std::uint32_t>(application_id);
}

}  // namespace

bool is_store_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::ifstream in(file, std::ios::binary);
  Header page{};
  if (!in.read(page.data(), page.size()) || std::string_view(page.data(), magic.size()) != magic)
    return false;
  if (is_ours(page)) return true;
  // A store that was killed young has its first page in the log only.
  std::ifstream log(file.string() + "-wal", std::ios::binary);
  std::array<char, log_header_bytes> log_header{};
  if (!log.read(log_header.data(), log_header.size())) return false;
  const std::uint32_t page_size = number_at(log_header.data() + log_page_size_at);
  if (page_size < 512 || page_size > 65536) return false;
  for (int frame = 0; frame < most_frames; ++frame) {
    std::array<char, frame_header_bytes> frame_header{};
    if (!log.read(frame_header.data(), frame_header.size()) || !log.read(page.data(), page.size())) break;
    if (number_at(frame_header.data()) == 1 && is_ours(page)) return true;
    log.seekg(static_cast<std::streamoff>(page_size - header_bytes), std::ios::cur);
  }
  return false;
}

}  // namespace tandem::daemon::store
