#include "specs/json/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "specs/foundation/text.hpp"

namespace tandem::specs {

namespace {

constexpr std::size_t block = 1024;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

JsonStorage::JsonStorage(std::string file_name, std::string content)
    : file(std::move(file_name)), text(std::move(content)), line_starts{0} {
  std::uint32_t continued = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % block == 0) continued_before.push_back(continued);
    if (is_continuation(text[i])) ++continued;
    if (text[i] == '\n') line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
  continued_before.push_back(continued);
}

std::size_t JsonStorage::characters_before(std::size_t offset) const {
  const std::size_t start = offset / block * block;
  const auto at = [this](std::size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
  const auto in_block = std::count_if(at(start), at(offset), is_continuation);
  return offset - continued_before[offset / block] - static_cast<std::size_t>(in_block);
}

Position JsonStorage::position(std::size_t offset) const {
  offset = std::min(offset, text.size());
  const auto after = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts.begin());
  return {line, characters_before(offset) - characters_before(*std::prev(after)) + 1};
}

std::string JsonStorage::pointer(std::uint32_t index) const {
  std::vector<std::string> parts;
  for (; index != 0; index = values[index].parent) {
    const JsonValue& value = values[index];
    if (values[value.parent].kind == Kind::array) {
      parts.push_back(std::to_string(value.rank));
      continue;
    }
    std::string escaped;  // RFC 6901, section 3
    for (const char c : value.key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    parts.push_back(std::move(escaped));
  }
  std::string result;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) result += "/" + *part;
  return result;
}

Problem JsonStorage::problem(std::size_t offset, std::string pointer, std::string message) const {
  // A key may be megabytes long and hold control characters; a message should fit on a screen.
  constexpr std::size_t longest_pointer = 200;
  if (pointer.size() > longest_pointer) {
    std::size_t length = longest_pointer;
    while (length > 0 && is_continuation(pointer[length])) --length;
    pointer = pointer.substr(0, length) + "…";
  }
  std::replace_if(
      pointer.begin(), pointer.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return {file, position(offset), std::move(pointer), std::move(message)};
}

namespace {

/// The offset after the comment that starts here, or `at` itself if none does.
std::size_t comment_end(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return at + std::min(rest.find('\n'), rest.size());
  if (rest.starts_with("/*")) {
    const std::size_t close = rest.find("*/", 2);
    return close == std::string_view::npos ? text.size() : at + close + 2;
  }
  return at;
}

/// From the end of a token over blanks, separators and comments to the start of the next one.
std::size_t skip_to_token(std::string_view text, std::size_t from) {
  if (from == 0 && text.starts_with("\xEF\xBB\xBF")) from = 3;
  while (from < text.size()) {
    if (std::string_view(" \t\r\n,:").find(text[from]) != std::string_view::npos) {
      ++from;
    } else if (const std::size_t after = comment_end(text, from); after != from) {
      from = after;
    } else {
      break;
    }
  }
  return from;
}

/// Whether a comma that is no part of a comment stands between the two offsets.
bool comma_between(std::string_view text, std::size_t from, std::size_t to) {
  while (from < to) {
    if (text[from] == ',') return true;
    const std::size_t after = comment_end(text, from);
    from = after == from ? from + 1 : after;
  }
  return false;
}

/// Walks the text and leaves behind how far the lexer has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator&) const = default;

 private:
  const char* at_;
  std::size_t* read_;
};

/// What nlohmann/json says about a syntax error, without its own numbering and position.
std::string reason_in(std::string_view what) {
  const std::size_t dash = what.find(" - ");
  if (dash != std::string_view::npos) return std::string(what.substr(dash + 3));
  const std::size_t bracket = what.find("] ");
  return std::string(bracket == std::string_view::npos ? what : what.substr(bracket + 2));
}

/// Receives nlohmann/json's events and lays the values out flat, each with the offset of its first character.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(JsonStorage& storage, const JsonLimits& limits, Problems& problems)
      : storage_(storage), limits_(limits), problems_(problems) {}

  void read() {
    const char* begin = storage_.text.data();
    const char* end = begin + storage_.text.size();
    constexpr bool strict = true;
    constexpr bool ignore_comments = true;
    nlohmann::json::sax_parse(CountingIterator(begin, &read_), CountingIterator(end, &read_), this,
                              nlohmann::json::input_format_t::json, strict, ignore_comments);
  }

  bool null() override {
    add(Kind::null);
    return true;
  }
  bool boolean(bool value) override {
    add(Kind::boolean).boolean = value;
    return true;
  }
  bool number_integer(number_integer_t value) override {
    add_number(static_cast<double>(value), value, true);
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    add_number(static_cast<double>(value), fits ? static_cast<std::int64_t>(value) : 0, fits);
    return true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    constexpr double exact = 9007199254740992.0;  // 2^53: up to here a double holds every whole number
    const bool whole = value == std::floor(value) && std::abs(value) <= exact;
    add_number(value, whole ? static_cast<std::int64_t>(value) : 0, whole);
    return true;
  }
  bool string(string_t& value) override {
    add(Kind::string).text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return false; }  // does not occur in JSON text

  bool start_object(std::size_t) override { return open(Kind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Kind::array); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    key_offset_ = skip_to_token(storage_.text, cursor_);
    cursor_ = read_;
    key_ = std::move(name);
    duplicate_ = !open_.back().keys.insert(key_).second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::size_t offset = std::min(position == 0 ? 0 : position - 1, storage_.text.size());
    const bool closes =
        offset < storage_.text.size() && (storage_.text[offset] == '}' || storage_.text[offset] == ']');
    constexpr int number_overflow = 406;  // nlohmann/json's number for it
    std::string reason = reason_in(error.what());
    constexpr std::size_t longest_reason = 200;
    if (error.id == number_overflow) {
      offset = skip_to_token(storage_.text, cursor_);
      reason = "the number is too large; write one of at most 1.7e308";
    } else if (closes && comma_between(storage_.text, cursor_, offset)) {
      reason = "a comma stands before the closing bracket; remove the comma";
    } else if (reason.size() > longest_reason) {
      reason = "the text up to here is malformed; look for an open quotation mark before it";
    }
    throw ProblemError(storage_.problem(offset, here(), "not valid JSON: " + reason));
  }

 private:
  struct Open {
    std::uint32_t index;
    std::unordered_set<std::string> keys;
  };

  JsonValue& add(Kind kind) {
    const std::size_t offset = skip_to_token(storage_.text, cursor_);
    cursor_ = read_;
    if (storage_.values.size() >= limits_.values) {
      throw ProblemError(storage_.problem(
          offset, here(), fmt::format("the file holds more than {} values; split it", limits_.values)));
    }
    const auto index = static_cast<std::uint32_t>(storage_.values.size());
    JsonValue value;
    value.kind = kind;
    value.offset = static_cast<std::uint32_t>(offset);
    value.key_offset = value.offset;
    bool counts = !open_.empty();
    if (!open_.empty()) {
      const JsonValue& parent = storage_.values[open_.back().index];
      value.parent = open_.back().index;
      value.rank = static_cast<std::uint32_t>(parent.children.size());
      if (parent.kind == Kind::object) {
        value.key = std::move(key_);
        value.key_offset = static_cast<std::uint32_t>(key_offset_);
        counts = !duplicate_;
      }
    }
    storage_.values.push_back(std::move(value));
    if (counts) storage_.values[open_.back().index].children.push_back(index);
    if (!open_.empty() && !counts) {
      duplicate_ = false;
      const JsonValue& added = storage_.values[index];
      problems_.add(storage_.problem(
          added.key_offset, storage_.pointer(index),
          fmt::format("key {} appears twice in this object; keep one of them", in_quotes(added.key))));
    }
    return storage_.values[index];
  }

  void add_number(double number, std::int64_t integer, bool whole) {
    JsonValue& value = add(Kind::number);
    value.number = number;
    value.integer = integer;
    value.whole = whole;
    // The lexer has read one character past the number unless the text ends there.
    std::size_t end = value.offset;
    const std::string& text = storage_.text;
    while (end < text.size() && std::string_view("+-.0123456789eE").find(text[end]) != std::string_view::npos)
      ++end;
    value.text = text.substr(value.offset, end - value.offset);
    cursor_ = end;
  }

  bool open(Kind kind) {
    add(kind);
    const auto index = static_cast<std::uint32_t>(storage_.values.size() - 1);
    if (open_.size() >= limits_.depth) {
      throw ProblemError(
          storage_.problem(storage_.values[index].offset, storage_.pointer(index),
                           fmt::format("values are nested more than {} deep; flatten them", limits_.depth)));
    }
    open_.push_back({index, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    cursor_ = read_;
    return true;
  }

  std::string here() const { return open_.empty() ? "" : storage_.pointer(open_.back().index); }

  JsonStorage& storage_;
  const JsonLimits& limits_;
  Problems& problems_;
  std::size_t read_ = 0;    ///< bytes the lexer has taken
  std::size_t cursor_ = 0;  ///< end of the last token
  std::vector<Open> open_;
  std::string key_;
  std::size_t key_offset_ = 0;
  bool duplicate_ = false;
};

}  // namespace

void read_json(JsonStorage& storage, const JsonLimits& limits, Problems& problems) {
  const std::string& text = storage.text;
  // The lexer takes a NUL for the end of the text, and checks UTF-8 in strings only.
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos) {
    throw ProblemError(
        storage.problem(nul, "", "a NUL byte; JSON is text, write it as UTF-8 without NUL bytes"));
  }
  if (const std::size_t bad = find_invalid_utf8(text); bad != std::string::npos) {
    throw ProblemError(storage.problem(bad, "",
                                       fmt::format("byte 0x{:02x} is not UTF-8; save the file as UTF-8",
                                                   static_cast<unsigned char>(text[bad]))));
  }
  Builder(storage, limits, problems).read();
  for (const JsonValue& value : storage.values) {
    if (value.kind != Kind::object) continue;
    const auto object = static_cast<std::uint32_t>(&value - storage.values.data());
    for (const std::uint32_t child : value.children)
      storage.members[{object, storage.values[child].key}] = child;
  }
}

}  // namespace tandem::specs
