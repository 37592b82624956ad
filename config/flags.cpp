#include "config/flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <type_traits>

#include "config/checks.hpp"
#include "specs/foundation/error.hpp"
#include "specs/foundation/text.hpp"
#include "specs/json/document.hpp"

namespace tandem::config {
namespace {

using Takes = Flag::Takes;

template <class Number>
Number number_of(const std::string& flag, const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw InputError(fmt::format("--{}: found {}; expected a number", flag, in_quotes(text)));
  return value;
}

/// The parts of "A=1 B=2", as FAI-PEP has several variables in one word; a blank that no new variable follows
/// belongs to the value.
Names environment_words(const std::string& text) {
  Names words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ' ');) {
    const auto equals = word.find('=');
    const bool begins = equals != std::string::npos && equals > 0 &&
                        std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                                    [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (begins || words.empty()) {
      words.push_back(word);
    } else {
      words.back() += " " + word;
    }
  }
  return words;
}

void add_variables(const std::string& text, Texts& to) {
  for (const std::string& word : environment_words(text)) {
    const auto equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (equals == std::string::npos || !check_variable(name).empty())
      throw InputError(fmt::format("--env: found {}; expected NAME=value", in_quotes(word)));
    to.insert_or_assign(name, word.substr(equals + 1));
  }
}

template <class Value, class Check>
constexpr Takes takes_of() {
  if (std::is_same_v<Value, bool>) return Takes::nothing;
  return std::is_same_v<Value, Paths> || std::is_same_v<Check, Variables> ? Takes::several : Takes::one;
}

template <class Value, class Check>
void set(const std::string& flag, const std::string& text, std::optional<Value>& to) {
  if constexpr (std::is_same_v<Value, bool>) {
    to = text != "false";  // default_args may say so
  } else if constexpr (std::is_same_v<Value, int> || std::is_same_v<Value, double>) {
    to = number_of<Value>(flag, text);
  } else if constexpr (std::is_same_v<Value, Seconds>) {
    to = Seconds(number_of<double>(flag, text));
  } else if constexpr (std::is_same_v<Value, std::uint64_t>) {
    to = bytes(text);
  } else if constexpr (std::is_enum_v<Value>) {
    to = choice<Value>(text);
  } else if constexpr (std::is_same_v<Value, Names>) {
    to = split_list(text);
  } else if constexpr (std::is_same_v<Value, Paths>) {
    if (!to) to.emplace();
    to->emplace_back(text);
  } else if constexpr (std::is_same_v<Check, Variables>) {
    if (!to) to.emplace();
    add_variables(text, *to);
  } else if constexpr (std::is_same_v<Value, Texts>) {
    to = string_map_of(text);
  } else {
    to = text;
  }
}

/// Collects the flags of one command that have one of these uses.
class FlagList {
 public:
  explicit FlagList(std::initializer_list<Use> uses) : uses_(uses) {}

  template <class Value, class Check>
  void add(const char* name, const char* setting, std::optional<Value>& to, Check, Use use,
           const char* help) {
    if (std::find(uses_.begin(), uses_.end(), use) == uses_.end()) return;
    flags.push_back({name, setting, help, takes_of<Value, Check>(),
                     [name, &to](const std::string& text) { set<Value, Check>(name, text, to); }});
  }

  Flags flags;

 private:
  std::vector<Use> uses_;
};

}  // namespace

Flags shared_flags(Overrides& said) {
  FlagList list({Use::shared, Use::one_watch, Use::flag});
#define WATCH(type, name, value, check, use, help) list.add(#name, #name, said.name, check, Use::use, help);
#define SETTING(type, name, value, check, use, help) list.add(#name, #name, said.name, check, Use::use, help);
#define HARNESS(type, name, value, check, use, help) \
  list.add(#name, #name, said.harness.name, check, Use::use, help);
#define ALIAS(name, setting, help) list.add(#name, #setting, said.setting, Anything{}, Use::shared, help);
#include "config/settings.def"
  return std::move(list.flags);
}

Flags daemon_flags(Overrides& said) {
  FlagList list({Use::daemon});
#define SETTING(type, name, value, check, use, help) list.add(#name, #name, said.name, check, Use::use, help);
#define NEGATION(name, setting, help) \
  list.flags.push_back(               \
      {#name, #setting, help, Takes::nothing, [&said](const std::string&) { said.setting = false; }});
#include "config/settings.def"
  return std::move(list.flags);
}

void set_defaults(const Flags& flags, const std::vector<std::string>& given,
                  const std::vector<std::pair<std::string, std::string>>& defaults) {
  for (const auto& [written, value] : defaults) {
    std::string name = written.substr(std::min(written.find_first_not_of('-'), written.size()));
    std::replace(name.begin(), name.end(), '-', '_');
    const auto flag =
        std::find_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.name == name; });
    if (flag == flags.end())
      throw InputError(
          fmt::format("default_args: there is no flag --{}; tandem run --help lists them", name));
    if (std::find(given.begin(), given.end(), flag->setting) == given.end()) flag->set(value);
  }
}

Texts string_map_of(const std::string& text) {
  Texts values;
  const auto document = specs::JsonDocument::parse(text, "--string_map");
  for (const specs::Member& member : document.root().members())
    values.emplace(member.key, member.value.scalar_text());
  return values;
}

}  // namespace tandem::config
