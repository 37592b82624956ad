#include "specs/benchmark/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"

namespace tandem::specs {

namespace {

// A short file can ask for an expansion of any size ("{b}{b}" nine levels deep), so all of it is bounded.
constexpr std::size_t deepest_chain = 32;
constexpr std::size_t most_replacements = 10'000;
constexpr std::size_t most_compared = 500;
constexpr std::size_t longest_command = std::size_t{64} << 10;

const Keys runner_names = {"program", "TGTDIR", "HOSTDIR", "BUILDDIR", "TEMPDIR", "INDEX", "DEVICEHASH"};

/// A member of an object by its key, or an item of an array by its place.
std::optional<Node> child(const Node& parent, std::string_view key) {
  if (parent.kind() == Kind::object) return parent.find(key);
  if (parent.kind() != Kind::array) return std::nullopt;
  std::size_t rank = 0;
  const auto [last, error] = std::from_chars(key.data(), key.data() + key.size(), rank);
  const std::vector<Node> items = parent.items();
  if (error != std::errc{} || last != key.data() + key.size() || rank >= items.size()) return std::nullopt;
  return items[rank];
}

/// A field by its whole name, or by a path with dots.
std::optional<Node> field(const Node& root, std::string_view name) {
  if (auto whole = root.find(name)) return whole;
  std::optional<Node> at = root;
  while (at && !name.empty()) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    at = child(*at, name.substr(0, dot));
    name.remove_prefix(std::min(dot + 1, name.size()));
  }
  return at;
}

bool is_file(const Node& node) {
  return node.kind() == Kind::object && (node.has("filename") || node.has("location"));
}

class Expansion {
 public:
  Expansion(const Node& where, const PlaceholderScope& scope, Keep keep)
      : where_(where), scope_(scope), keep_(keep) {}

  std::string expand(const std::string& text) {
    std::string result;
    std::size_t copied = 0;
    while (const auto placeholder = next_placeholder(text, copied)) {
      result += text.substr(copied, placeholder->begin - copied);
      result += value_of(*placeholder, text);
      copied = placeholder->end;
      if (result.size() > longest_command) {
        where_.fail(fmt::format("grows past {} characters when its placeholders are replaced; shorten it",
                                longest_command));
      }
    }
    return result + text.substr(copied);
  }

 private:
  std::string value_of(const Placeholder& placeholder, const std::string& text) {
    const std::string& name = placeholder.name;
    const bool circular = std::find(chain_.begin(), chain_.end(), name) != chain_.end();
    chain_.push_back(name);
    if (circular)
      where_.fail(fmt::format("placeholder refers to itself: {}; break the circle", chain_text()));
    if (chain_.size() > deepest_chain || ++replacements_ > most_replacements) {
      where_.fail(fmt::format("needs more than {} placeholders inside each other or {} in all; simplify it",
                              deepest_chain, most_replacements));
    }
    std::string result;
    if (const auto raw = raw_value(name)) {
      result = expand(*raw);
    } else if (is_runners(name)) {
      if (keep_ == Keep::nothing) fail_early(name);
      result = "{" + name + "}";
    } else if (keep_ == Keep::runners_first && chain_.size() == 1 && is_first_word(placeholder, text)) {
      result = "{" + name + "}";
    } else {
      fail_unknown(name);
    }
    chain_.pop_back();
    return result;
  }

  /// The text a name stands for, before its own placeholders are replaced; nothing if the runner may know it.
  std::optional<std::string> raw_value(const std::string& name) const {
    if (const auto given = scope_.string_map.find(name); given != scope_.string_map.end())
      return given->second;
    if (name == "ID") return std::to_string(scope_.id);
    if (const auto given = scope_.parameters.find(name); given != scope_.parameters.end())
      return given->second;
    if (auto text = of_inputs(name)) return text;
    if (const auto node = find_field(name)) {
      if (is_file(*node)) return std::nullopt;
      if (node->kind() == Kind::array || node->kind() == Kind::object || node->kind() == Kind::null) {
        where_.fail(
            fmt::format("placeholder {} names {}; only strings, numbers, true and false can be put into a "
                        "command",
                        chain_text(), node->found()));
      }
      return node->scalar_text();
    }
    if (name == "iter" || name == "warmup") return "-1";  // FAI-PEP's value for a test that does not say
    return std::nullopt;
  }

  /// What the inputs give together, and the shape of one.
  std::optional<std::string> of_inputs(std::string_view name) const {
    constexpr std::string_view prefix = "inputs";
    constexpr std::string_view suffix = ".shapes";
    if (!scope_.inputs || !name.starts_with(prefix)) return std::nullopt;
    if (name == "inputs") return joined(",", [](const Member& input) { return input.key; });
    if (name == "inputs.shapes" && !scope_.inputs->has("shapes")) {
      return joined(";", [&](const Member& input) { return shape_of(input.value); });
    }
    if (name == "inputs.type" && !scope_.inputs->has("type")) {
      for (const Member& input : scope_.inputs->members()) {
        if (const auto type = input.value.find("type")) return type->as_string();
      }
      return std::nullopt;
    }
    if (!name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size() + 1) return std::nullopt;
    name.remove_prefix(prefix.size() + 1);
    name.remove_suffix(suffix.size());
    const auto input = scope_.inputs->find(name);
    return input ? std::optional(shape_of(*input)) : std::nullopt;
  }

  std::string shape_of(const Node& input) const {
    return shape_text(input.at("shapes").items().at(scope_.shape), ",");
  }

  template <typename Text>
  std::string joined(const char* separator, Text&& text) const {
    std::string all;
    for (const Member& input : scope_.inputs->members())
      all.append(all.empty() ? "" : separator).append(text(input));
    return all;
  }

  std::optional<Node> find_field(const std::string& name) const {
    if (auto found = field(scope_.test, name)) return found;
    if (auto found = field(scope_.model, name)) return found;
    return scope_.meta ? field(*scope_.meta, name) : std::nullopt;
  }

  bool is_runners(const std::string& name) const {
    if (std::find(runner_names.begin(), runner_names.end(), name) != runner_names.end()) return true;
    if (std::find(scope_.programs.begin(), scope_.programs.end(), name) != scope_.programs.end()) return true;
    return find_field(name).has_value();  // what is left here are files
  }

  static bool is_first_word(const Placeholder& placeholder, const std::string& text) {
    constexpr std::string_view blanks = " \t\r\n";
    const bool starts = text.find_first_not_of(blanks) == placeholder.begin;
    const bool ends =
        placeholder.end == text.size() || blanks.find(text[placeholder.end]) != std::string_view::npos;
    return starts && ends && !nearest(placeholder.name, runner_names);
  }

  [[noreturn]] void fail_early(const std::string& name) const {
    where_.fail(
        fmt::format("placeholder {} is known only while a program runs; write {{{}}} in commands and "
                    "places of files only",
                    chain_text(), name));
  }

  [[noreturn]] void fail_unknown(const std::string& name) const {
    if (name == "FAIPEPROOT") {
      where_.fail(
          fmt::format("placeholder {} has no value, for the scripts of FAI-PEP are not part of "
                      "Tandem; say where they lie with --string_map "
                      "'{{\"FAIPEPROOT\": \"/path/to/FAI-PEP\"}}'",
                      chain_text()));
    }
    std::vector<std::string> names(runner_names.begin(), runner_names.end());
    names.insert(names.end(), {"ID", "iter", "warmup"});
    for (const auto& [key, value] : scope_.parameters) names.push_back(key);
    names.insert(names.end(), scope_.programs.begin(), scope_.programs.end());
    for (const auto& [key, value] : scope_.string_map) names.push_back(key);
    for (const auto& root : {std::optional(scope_.test), std::optional(scope_.model), scope_.meta}) {
      if (!root) continue;
      for (const Member& member : root->members()) {
        if (names.size() < most_compared) names.push_back(member.key);
      }
    }
    std::string message = fmt::format("unknown placeholder {}; ", chain_text());
    const Keys known(names.begin(), names.end());
    if (const auto close = nearest(name, known)) message += fmt::format("did you mean {{{}}}? ", *close);
    where_.fail(message + "write a field of the test or model, a name from --string_map, or one of " +
                list_in_quotes(runner_names));
  }

  std::string chain_text() const {
    std::string text;
    for (const std::string& name : chain_) text += (text.empty() ? "{" : " -> {") + name + "}";
    constexpr std::size_t longest_chain = 300;
    return text.size() > longest_chain ? in_quotes(text) : text;
  }

  const Node& where_;
  const PlaceholderScope& scope_;
  Keep keep_;
  std::vector<std::string> chain_;
  std::size_t replacements_ = 0;
};

}  // namespace

std::string expand_placeholders(const Node& where, const std::string& text, const PlaceholderScope& scope,
                                Keep keep) {
  return Expansion(where, scope, keep).expand(text);
}

std::string shape_text(const Node& shape, std::string_view separator) {
  std::string text;
  for (const Node& size : shape.items())
    text.append(text.empty() ? std::string_view() : separator).append(size.scalar_text());
  return text;
}

bool is_reserved_placeholder(std::string_view name) {
  return name == "ID" || name == "inputs" ||
         std::find(runner_names.begin(), runner_names.end(), name) != runner_names.end();
}

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

}  // namespace tandem::specs
