#include "specs/command_line.hpp"

#include <fmt/format.h>

#include "specs/error.hpp"
#include "specs/nearest.hpp"

namespace tandem::specs {
namespace {

bool is_name_character(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const bool beyond_ascii = static_cast<unsigned char>(c) >= 0x80;
  return letter || beyond_ascii || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '|';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// The text between quotes that starts at `at`, which is moved past the closing quote.
std::string quoted_part(std::string_view command, std::size_t& at) {
  const char quote = command[at++];
  std::string part;
  for (; at < command.size(); ++at) {
    const char c = command[at];
    if (c == quote) {
      ++at;
      return part;
    }
    const bool next_is_kept =
        at + 1 < command.size() && (command[at + 1] == '"' || command[at + 1] == '\\') && quote == '"';
    part += c == '\\' && next_is_kept ? command[++at] : c;
  }
  throw InputError(
      fmt::format("a quotation opened with {} is not closed; close it or write \\{}", quote, quote));
}

}  // namespace

std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from) {
  for (std::size_t begin = text.find('{', from); begin != std::string_view::npos;
       begin = text.find('{', begin + 1)) {
    std::size_t end = begin + 1;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end > begin + 1 && end < text.size() && text[end] == '}') {
      return Placeholder{begin, end + 1, std::string(text.substr(begin + 1, end - begin - 1))};
    }
  }
  return std::nullopt;
}

std::vector<std::string> split_words(std::string_view command) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  for (std::size_t at = 0; at < command.size();) {
    const char c = command[at];
    if (is_blank(c)) {
      if (word) words.push_back(std::move(*word));
      word.reset();
      ++at;
      continue;
    }
    if (!word) word.emplace();
    if (c == '\'' || c == '"') {
      *word += quoted_part(command, at);
    } else if (c == '\\') {
      if (at + 1 == command.size())
        throw InputError("the last backslash escapes nothing; remove or double it");
      *word += command[at + 1];
      at += 2;
    } else {
      *word += c;
      ++at;
    }
  }
  if (word) words.push_back(std::move(*word));
  return words;
}

std::vector<std::string> resolve_command(const std::string& command,
                                         const std::map<std::string, std::string>& values) {
  std::vector<std::string> words = split_words(command);
  for (std::string& word : words) {
    std::string resolved;
    std::size_t copied = 0;
    while (const auto placeholder = next_placeholder(word, copied)) {
      const auto value = values.find(placeholder->name);
      if (value == values.end()) {
        std::vector<std::string_view> known;
        known.reserve(values.size());
        for (const auto& [name, text] : values) known.push_back(name);
        throw InputError(fmt::format("command {}: placeholder {{{}}} has no value here; known are {}",
                                     in_quotes(command), placeholder->name,
                                     known.empty() ? "none" : list_in_quotes(known)));
      }
      resolved += word.substr(copied, placeholder->begin - copied) + value->second;
      copied = placeholder->end;
    }
    word = resolved + word.substr(copied);
  }
  return words;
}

}  // namespace tandem::specs
