#include "specs/json/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "specs/foundation/text.hpp"
#include "specs/json/storage.hpp"

namespace tandem::specs {
namespace {

std::string read_file(const std::filesystem::path& file, std::size_t limit) {
  const auto refuse = [&](const std::string& why) { throw ProblemError({file.string(), {}, "", why}); };
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status)) refuse("does not exist; check the path");
  // A pipe or a device could block or never end.
  if (!std::filesystem::is_regular_file(status)) refuse("is not a regular file; name a JSON file");
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text;
  for (std::array<char, 16384> part{}; in && text.size() <= limit;) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw Error(fmt::format("{}: reading failed: {}", file.string(), std::strerror(errno)));
  return text;
}

/// "a number from 1 to 9", "a whole number of at least 1": the part of a range that is a limit at all.
template <typename Number>
std::string range_text(const char* what, Number low, Number high) {
  const bool has_low = low != std::numeric_limits<Number>::lowest();
  const bool has_high = high != std::numeric_limits<Number>::max();
  if (has_low && has_high) return fmt::format("{} from {} to {}", what, low, high);
  if (has_low) return fmt::format("{} of at least {}", what, low);
  if (has_high) return fmt::format("{} of at most {}", what, high);
  return what;
}

}  // namespace

const char* name_of(Kind kind) {
  constexpr std::array names = {"null", "true or false", "a number", "a string", "an array", "an object"};
  return name_in(names, kind);
}

Node::Node(std::shared_ptr<const JsonStorage> storage, std::uint32_t index)
    : storage_(std::move(storage)), index_(index) {}

Kind Node::kind() const {
  return storage_->values[index_].kind;
}
const std::string& Node::file() const {
  return storage_->file;
}
Position Node::position() const {
  return storage_->position(storage_->values[index_].offset);
}
std::string Node::pointer() const {
  return storage_->pointer(index_);
}

std::string Node::found() const {
  const JsonValue& value = storage_->values[index_];
  switch (value.kind) {
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    case Kind::number:
      return value.text.size() > 40 ? value.text.substr(0, 40) + "…" : value.text;
    case Kind::string:
      return "the string " + in_quotes(value.text);
    default:
      return name_of(value.kind);
  }
}

Problem Node::problem(std::string message) const {
  return storage_->problem(storage_->values[index_].offset, pointer(), std::move(message));
}

void Node::fail(std::string message) const {
  throw ProblemError(problem(std::move(message)));
}

void Node::expect(Kind expected) const {
  if (kind() != expected) fail(fmt::format("found {}; expected {}", found(), name_of(expected)));
}

std::string Node::as_string() const {
  expect(Kind::string);
  return storage_->values[index_].text;
}

bool Node::as_bool() const {
  expect(Kind::boolean);
  return storage_->values[index_].boolean;
}

double Node::as_number(double low, double high) const {
  const double value = storage_->values[index_].number;
  if (kind() != Kind::number || value < low || value > high) {
    fail(fmt::format("found {}; expected {}", found(), range_text("a number", low, high)));
  }
  return value;
}

std::int64_t Node::as_integer(std::int64_t low, std::int64_t high) const {
  const JsonValue& value = storage_->values[index_];
  if (value.kind != Kind::number || !value.whole || value.integer < low || value.integer > high) {
    fail(fmt::format("found {}; expected {}", found(), range_text("a whole number", low, high)));
  }
  return value.integer;
}

std::string Node::as_choice(const Keys& allowed) const {
  std::string value = as_string();
  if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
    const auto close = value.size() < 2 ? std::nullopt : nearest(value, allowed);
    fail(fmt::format("found {}; {}expected one of {}", found(),
                     close ? fmt::format("did you mean {}? ", in_quotes(*close)) : "",
                     list_in_quotes(allowed)));
  }
  return value;
}

std::string Node::scalar_text() const {
  const JsonValue& value = storage_->values[index_];
  switch (value.kind) {
    case Kind::string:
    case Kind::number:
      return value.text;
    case Kind::boolean:
      return value.boolean ? "true" : "false";
    default:
      fail(fmt::format("found {}; expected a string, a number, or true or false", found()));
  }
}

std::vector<Node> Node::items() const {
  expect(Kind::array);
  std::vector<Node> result;
  for (const std::uint32_t child : storage_->values[index_].children) result.emplace_back(storage_, child);
  return result;
}

std::vector<Member> Node::members() const {
  expect(Kind::object);
  std::vector<Member> result;
  for (const std::uint32_t child : storage_->values[index_].children) {
    result.push_back({storage_->values[child].key, Node(storage_, child)});
  }
  return result;
}

std::optional<Node> Node::find(std::string_view key) const {
  expect(Kind::object);
  const auto member = storage_->members.find({index_, key});
  if (member == storage_->members.end()) return std::nullopt;
  return Node(storage_, member->second);
}

Node Node::at(std::string_view key) const {
  if (auto value = find(key)) return *value;
  fail(fmt::format("required key {} is missing; add it to this object", in_quotes(key)));
}

void Node::expect_keys(const Keys& allowed, Problems& problems) const {
  for (const Member& member : members()) {
    if (problems.full()) return;
    if (std::find(allowed.begin(), allowed.end(), member.key) != allowed.end()) continue;
    std::string message = fmt::format("unknown key {}; ", in_quotes(member.key));
    if (const auto close = nearest(member.key, allowed))
      message += fmt::format("did you mean {}? ", in_quotes(*close));
    message += fmt::format("allowed here: {}", list_in_quotes(allowed));
    const std::uint32_t offset = storage_->values[member.value.index_].key_offset;
    problems.add(storage_->problem(offset, member.value.pointer(), std::move(message)));
  }
}

JsonDocument::JsonDocument(std::shared_ptr<const JsonStorage> storage) : storage_(std::move(storage)) {}

JsonDocument JsonDocument::parse(std::string text, std::string file, Problems& problems,
                                 const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw ProblemError(
        {std::move(file), {}, "", fmt::format("is larger than {} bytes; split it", limits.bytes)});
  }
  auto storage = std::make_shared<JsonStorage>(std::move(file), std::move(text));
  read_json(*storage, limits, problems);
  return JsonDocument(std::move(storage));
}

JsonDocument JsonDocument::parse(std::string text, std::string file) {
  Problems problems(Problems::Mode::stop_at_first);
  return parse(std::move(text), std::move(file), problems);
}

JsonDocument JsonDocument::load(const std::filesystem::path& file, Problems& problems,
                                const JsonLimits& limits) {
  return parse(read_file(file, limits.bytes), file.string(), problems, limits);
}

JsonDocument JsonDocument::load(const std::filesystem::path& file) {
  Problems problems(Problems::Mode::stop_at_first);
  return load(file, problems);
}

const std::string& JsonDocument::file() const {
  return storage_->file;
}

}  // namespace tandem::specs
