#include "builders/kept_link.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "builders/link_options.hpp"
#include "builders/printable.hpp"
#include "specs/error.hpp"

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view title = "tandem kept link 1";

[[noreturn]] void refuse(std::string_view line) {
  throw Error(fmt::format("a kept link has a line that cannot be right: '{}'", printable(line, 200)));
}

/// Takes the first word off a line.
std::string take_word(std::string_view& line, std::string_view whole) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) refuse(whole);
  std::string word(line.substr(0, space));
  line.remove_prefix(space + 1);
  return word;
}

KeptLink::Input input_in(std::string_view rest, std::string_view whole) {
  KeptLink::Input input;
  input.sha256 = take_word(rest, whole);
  input.path = rest;
  const bool digest =
      input.sha256.size() == 64 && input.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!digest || !stays_below(input.path)) refuse(whole);
  return input;
}

}  // namespace

std::string stamp_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot read " + file.string());
  }
  return fmt::format("{}-{}-{}.{:09}-{}.{:09}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
}

std::string to_text(const KeptLink& link) {
  std::string text = fmt::format("{}\n", title);
  for (const auto& path : link.programs) text += fmt::format("program {}\n", path);
  for (const auto& word : link.arguments) text += fmt::format("argument {}\n", word);
  for (const auto& object : link.objects) text += fmt::format("object {} {}\n", object.sha256, object.path);
  for (const auto& [input, stamp] : link.system) {
    text += fmt::format("system {} {} {}\n", stamp, input.sha256, input.path);
  }
  return text;
}

KeptLink kept_link_from(const std::string& text) {
  KeptLink link;
  bool titled = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view whole(text.data() + at, end - at);
    at = end + 1;
    if (!titled) {
      if (whole != title) refuse(whole);
      titled = true;
      continue;
    }
    std::string_view rest = whole;
    const std::string word = take_word(rest, whole);
    if (word == "program") {
      if (!stays_below(std::string(rest))) refuse(whole);
      link.programs.emplace_back(rest);
    } else if (word == "argument") {
      link.arguments.emplace_back(rest);
    } else if (word == "object") {
      link.objects.push_back(input_in(rest, whole));
    } else if (word == "system") {
      const std::string stamp = take_word(rest, whole);
      link.system.push_back({input_in(rest, whole), stamp});
    } else {
      refuse(whole);
    }
  }
  if (!titled) refuse(text);
  return link;
}

}  // namespace tandem::builders
