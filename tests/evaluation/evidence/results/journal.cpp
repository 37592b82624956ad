#include "evaluation/evidence/results/journal.hpp"

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "specs/foundation/error.hpp"
#include "specs/foundation/files.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 32;

[[noreturn]] void cannot(const char* what, const fs::path& path) {
  throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                          std::string("cannot ") + what + " " + path.string());
}

}  // namespace

Journal::Fields fields_in(std::string_view line) {
  Journal::Fields fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.emplace_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

Journal::Journal(fs::path path) : path_(std::move(path)) {
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path());
  if (fs::exists(path_)) {
    const auto whole = read_small_file(path_, most_bytes);
    if (!whole) cannot("read", path_);
    const std::string_view text = *whole;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string_view::npos; begin = end + 1) {
      rows_.push_back(fields_in(text.substr(begin, end - begin)));
    }
    if (begin < text.size()) fs::resize_file(path_, begin);
  }
  errno = 0;
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_) cannot("write", path_);
}

void Journal::add(Fields fields) {
  // A line of no fields would be read back as one empty field.
  if (fields.empty()) throw Error("a line of the journal " + path_.string() + " has no fields");
  std::string line;
  for (const std::string& field : fields) {
    if (field.find_first_of("\t\n") != std::string::npos)
      throw Error("a field of the journal " + path_.string() +
                  " has a tab or an end of line in it: " + field);
    if (&field != &fields.front()) line += '\t';
    line += field;
  }
  line += '\n';
  errno = 0;
  if (!file_.write(line.data(), static_cast<std::streamsize>(line.size())).flush()) cannot("write", path_);
  rows_.push_back(std::move(fields));
}

}  // namespace tandem::evaluation
