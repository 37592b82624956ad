#include "config/config_file.hpp"

#include <type_traits>

#include "config/checks.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::config {
namespace {

using specs::JsonDocument;
using specs::Keys;
using specs::Node;
using specs::Problems;

/// What `make` says against a value is said with its place in the file.
template <class Make>
auto make_from(const Node& node, Make&& make) {
  try {
    return make();
  } catch (const InputError& error) {
    node.fail(error.what());
  }
}

void refuse_if(const std::string& wrong, const Node& node) {
  if (!wrong.empty()) node.fail(wrong);
}

// A value of each type that config/settings.def has.

template <class Check>
void read(const Node& node, std::string& to, Check) {
  to = node.as_string();
}
template <class Check>
void read(const Node& node, Path& to, Check) {
  to = node.as_string();
}
template <class Check>
void read(const Node& node, bool& to, Check) {
  to = node.as_bool();
}
template <class Check>
void read(const Node& node, double& to, Check) {
  to = node.as_number();
}
template <class Check>
void read(const Node& node, Seconds& to, Check) {
  to = Seconds{node.as_number()};
}
void read(const Node& node, int& to, Range range) {
  to = static_cast<int>(node.as_integer(range.least, range.most));
}
/// A number, or a text such as "20G".
template <class Check>
void read(const Node& node, std::uint64_t& to, Check) {
  const std::string text = node.scalar_text();
  to = make_from(node, [&] { return bytes(text); });
}
template <class Choice, class Check>
std::enable_if_t<std::is_enum_v<Choice>> read(const Node& node, Choice& to, Check) {
  const std::string name = node.as_string();
  to = make_from(node, [&] { return choice<Choice>(name); });
}
/// An array, or a text such as "a,b".
template <class Check>
void read(const Node& node, Names& to, Check) {
  if (node.kind() == specs::Kind::string) {
    to = split_list(node.as_string());
  } else {
    for (const Node& item : node.items()) to.push_back(item.as_string());
  }
}
template <class Check>
void read(const Node& node, Paths& to, Check) {
  for (const Node& item : node.items()) to.emplace_back(item.as_string());
}
template <class Check>
void read(const Node& node, Texts& to, Check) {
  for (const specs::Member& member : node.members()) {
    if (std::is_same_v<Check, Variables>) refuse_if(check_variable(member.key), member.value);
    to.emplace(member.key, member.value.scalar_text());
  }
}

/// Reads the fields of one object; each problem costs only its own field.
class FieldReader {
 public:
  FieldReader(const Node& object, Problems& problems)
      : object_(object),
        folder_(std::filesystem::absolute(object.file()).parent_path()),
        problems_(problems) {}

  template <class Value, class Check>
  void field(const char* key, std::optional<Value>& to, Check check, Use use) {
    const auto node = use == Use::flag ? std::nullopt : object_.find(key);
    if (!node) return;
    problems_.attempt([&] {
      Value value{};
      read(*node, value, check);
      refuse_if(settle(value, check, folder_), *node);
      to = std::move(value);
    });
  }

 private:
  const Node& object_;
  std::filesystem::path folder_;
  Problems& problems_;
};

const Keys& watch_keys() {
  static const Keys keys = {
#define WATCH(type, name, value, check, use, help) #name,
#include "config/settings.def"
  };
  return keys;
}

const Keys& top_keys() {
  static const Keys keys = [] {
    Keys all;
    const auto add = [&](const char* name, Use use) {
      if (use != Use::flag) all.emplace_back(name);
    };
#define SETTING(type, name, value, check, use, help) add(#name, Use::use);
#include "config/settings.def"
    all.emplace_back("watch");
#define HARNESS(type, name, value, check, use, help) add(#name, Use::use);
#include "config/settings.def"
    return all;
  }();
  return keys;
}

ConfigFile::Watch read_watch(const Node& node, Problems& problems) {
  node.expect_keys(watch_keys(), problems);
  ConfigFile::Watch watch;
  watch.source = specs::place(node.file(), node.position());
  FieldReader reader(node, problems);
#define WATCH(type, name, value, check, use, help) reader.field(#name, watch.name, check, Use::use);
#include "config/settings.def"
  return watch;
}

}  // namespace

ConfigFile read_config(const JsonDocument& document, Problems& problems) {
  const Node root = document.root();
  root.expect_keys(top_keys(), problems);
  ConfigFile config;
  config.file = document.file();
  FieldReader reader(root, problems);
#define SETTING(type, name, value, check, use, help) reader.field(#name, config.top.name, check, Use::use);
#define HARNESS(type, name, value, check, use, help) \
  reader.field(#name, config.top.harness.name, check, Use::use);
#include "config/settings.def"
  if (const auto list = root.find("watch")) {
    problems.attempt([&] {
      for (const Node& item : list->items())
        problems.attempt([&] { config.watches.push_back(read_watch(item, problems)); });
    });
  }
  return config;
}

ConfigFile load_config(const std::filesystem::path& file, Problems& problems) {
  ConfigFile config;
  problems.attempt([&] { config = read_config(JsonDocument::load(file, problems), problems); });
  return config;
}

ConfigFile load_config(const std::filesystem::path& file) {
  Problems problems(Problems::Mode::stop_at_first);
  return load_config(file, problems);
}

}  // namespace tandem::config
