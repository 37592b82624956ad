#include "builders/layout/linker/link_record.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <system_error>

namespace tandem::builders {
namespace {

namespace fs = std::filesystem;

void expand(const std::vector<std::string>& arguments, const fs::path& directory, int depth,
            std::vector<std::string>& into) {
  for (const auto& argument : arguments) {
    if (argument.starts_with('@') && depth < 8) {
      std::ifstream file(directory / argument.substr(1), std::ios::binary);
      if (file) {
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        expand(response_words(text), directory, depth + 1, into);
        continue;
      }
    }
    into.push_back(argument);
  }
}

bool is_listed(const std::string& argument, std::initializer_list<std::string_view> options) {
  return std::find(options.begin(), options.end(), argument) != options.end();
}

/// The directories and names in which configure checks link.
bool is_trial(const fs::path& output) {
  const std::string path = output.string();
  const std::string name = output.filename().string();
  for (const char* place : {"/CMakeFiles/CMakeTmp/", "/CMakeFiles/CMakeScratch/", "/meson-private/"}) {
    if (path.find(place) != std::string::npos) return true;
  }
  const bool identifies_compiler =
      path.find("/CMakeFiles/") != std::string::npos && path.find("/CompilerId") != std::string::npos;
  return identifies_compiler || name.starts_with("conftest") || name.starts_with("cmTC_") ||
         !(fs::is_regular_file(output) || !fs::exists(output));
}

// Fields end in a NUL, the one byte that no path and no message holds.
constexpr const char* record_title = "tandem link 2";
constexpr const char* last = "end";

}  // namespace

void write_record(const std::filesystem::path& file, const LinkRecord& record) {
  std::string text;
  const auto add = [&](const std::string& field) { text.append(field).push_back('\0'); };
  add(record_title);
  for (const auto& field : {record.output, record.build_id, record.reason}) add(field);
  for (const auto& path : record.inputs) add("i" + path);
  for (const auto& path : record.system) add("s" + path);
  add(last);
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

std::optional<LinkRecord> record_from(const std::string& text) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\0', at);
    if (end == std::string::npos) return std::nullopt;
    fields.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (fields.size() < 5 || fields.front() != record_title || fields.back() != last) return std::nullopt;
  LinkRecord record{fields[1], fields[2], fields[3], {}, {}};
  for (std::size_t i = 4; i + 1 < fields.size(); ++i) {
    if (fields[i].size() < 2) return std::nullopt;
    if (fields[i].front() == 'i') {
      record.inputs.push_back(fields[i].substr(1));
    } else if (fields[i].front() == 's') {
      record.system.push_back(fields[i].substr(1));
    } else {
      return std::nullopt;
    }
  }
  return record;
}

std::vector<std::string> response_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, perhaps an empty one in quotes
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

LinkArguments understand(const std::vector<std::string>& arguments, const fs::path& directory) {
  using What = LinkArguments::What;
  std::vector<std::string> all;
  expand(arguments, directory, 0, all);

  LinkArguments found;
  std::string output = "a.out";
  bool asks = false;      // for the version or the help
  bool mentions = false;  // the version, beside whatever else is asked for
  bool relocatable = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& argument = all[i];
    const bool has_next = i + 1 < all.size();
    if (is_listed(argument, {"-o", "--output", "-output"})) {
      if (has_next) output = all[++i];
    } else if (argument.starts_with("--output=")) {
      output = argument.substr(argument.find('=') + 1);
    } else if (argument.starts_with("-o") && !argument.starts_with("-oformat")) {
      output = argument.substr(2);
    } else if (is_listed(argument, {"-r", "-i", "-Ur", "--relocatable", "-relocatable"})) {
      relocatable = true;
    } else if (is_listed(argument, {"--version", "-version", "--help", "-help", "--target-help"})) {
      asks = true;
    } else if (is_listed(argument, {"-v", "-V"})) {
      mentions = true;
    } else if (argument.starts_with("--build-id") || argument.starts_with("-build-id")) {
      // The id must tell this link from all others, which a given, a random or no id does not.
      const std::size_t equals = argument.find('=');
      const std::string style = equals == std::string::npos ? "fast" : argument.substr(equals + 1);
      const bool by_content = is_listed(style, {"fast", "md5", "sha1", "tree"});
      found.build_id = by_content ? LinkArguments::BuildId::by_content : LinkArguments::BuildId::absent;
    } else if (!argument.starts_with('-')) {
      found.inputs.push_back(argument);
    }
  }
  found.output = (directory / output).lexically_normal();
  if (asks || (mentions && found.inputs.empty())) {
    found.what = What::query;
  } else if (relocatable) {
    found.what = What::relocatable;
  } else if (is_trial(found.output)) {
    found.what = What::trial;
  }
  return found;
}

}  // namespace tandem::builders
