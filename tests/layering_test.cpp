// Reads the include lines of every source file and fails on an arrow that points the wrong way, or on a
// third-party header outside the files that may use it. The tables below are the rule; everything after them
// only applies it.
#include <fnmatch.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

const Strings source_folders = {"config", "specs", "builders", "runners", "analysis", "daemon"};

/// Headers of runners that hold nothing but plain structs, so that analysis and builders may read them.
const Strings records = {"runners/pairing/samples.hpp", "runners/pairing/pairing.hpp"};

/// What the files matching `from` may include of ours. The first matching row counts.
struct Arrow {
  std::string from;
  Strings to;
  enum class Records { no, yes } records = Records::no;
};
const Strings below_daemon = {"specs/*", "builders/*", "runners/*", "analysis/*", "daemon/records/*"};
Strings with(Strings rooms, const Strings& more) {
  rooms.insert(rooms.end(), more.begin(), more.end());
  return rooms;
}
const std::vector<Arrow> arrows = {
    // What measured programs are compiled from is installed without the rest of the tree.
    {"runners/sdk/*", {"runners/sdk/*", "tandem.hpp"}},
    {"runners/workloads/*", {"runners/workloads/*", "runners/sdk/*", "tandem.hpp"}},
    {"specs/foundation/*", {"specs/foundation/*"}},
    {"specs/json/*", {"specs/json/*", "specs/foundation/*"}},
    {"specs/*", {"specs/*"}},
    {"config/*", {"config/*", "specs/*"}},
    {"runners/*", {"runners/*", "specs/*"}},
    {"builders/*",
     {"builders/*", "specs/*", "runners/process/process.hpp", "runners/process/sandbox.hpp"},
     Arrow::Records::yes},
    {"analysis/*", {"analysis/*", "specs/*"}, Arrow::Records::yes},
    {"daemon/records/*", below_daemon},
    {"daemon/store/*", with(below_daemon, {"daemon/store/*"})},
    {"daemon/report/*", with(below_daemon, {"daemon/report/*"})},
    {"daemon/measure/*", with(below_daemon, {"daemon/measure/*"})},
    {"daemon/harness/*",
     with(below_daemon, {"daemon/harness/*", "daemon/measure/*", "daemon/report/*", "config/*"})},
    {"daemon/walk/*", with(below_daemon, {"daemon/walk/*", "daemon/measure/*", "daemon/store/*",
                                          "daemon/report/*", "config/*"})},
    {"daemon/idle/*", with(below_daemon, {"daemon/idle/*", "daemon/walk/*", "daemon/measure/*",
                                          "daemon/store/*", "daemon/report/*", "config/*"})},
    {"daemon/service/*",
     with(below_daemon, {"daemon/service/*", "daemon/idle/*", "daemon/walk/*", "daemon/measure/*",
                         "daemon/harness/*", "daemon/store/*", "daemon/report/*", "config/*"})},
    {"daemon/*", {"daemon/*", "config/*", "specs/*", "builders/*", "runners/*", "analysis/*"}},
};

/// Which files may include a third-party header. The first matching row counts; a header in no row is free.
struct Guest {
  Strings headers;
  Strings users;
  std::size_t most_users = 1000;
};
const std::vector<Guest> guests = {
    {{"git2.h", "git2/*"}, {"builders/git/*"}},
    {{"boost/process*"}, {"runners/process/process.cpp"}},
    {{"boost/asio*"}, {"runners/process/process.cpp", "daemon/service/event_loop.cpp", "daemon/http/*.cpp"}},
    {{"boost/beast*"}, {"daemon/http/*.cpp"}, 1},
    {{"boost/*"}, {"*.cpp"}},
    {{"nlohmann/json_fwd.hpp"},
     {"specs/*", "config/*", "daemon/records/*", "daemon/report/*", "daemon/harness/*", "daemon/http/*"}},
    // Of runners only the adapters of foreign output read JSON.
    {{"nlohmann/*"},
     {"specs/*.cpp", "config/*.cpp", "runners/results/*.cpp", "builders/cache/manifest.cpp",
      "daemon/records/*.cpp", "daemon/report/*.cpp", "daemon/harness/*.cpp", "daemon/http/*.cpp"}},
    {{"curl/*"}, {"specs/files/download.cpp", "daemon/harness/remote.cpp"}},
    {{"CLI/*"}, {"daemon/commands/*.cpp"}, 1},
    {{"SQLiteCpp/*", "sqlite3.h"}, {"daemon/store/*.cpp"}},
    {{"spdlog/*"}, {"*.cpp"}, 1},
    {{"dnnl*", "oneapi/*"}, {"runners/workloads/*.cpp"}},
    {{"Eigen/*"}, {"analysis/*.cpp", "runners/workloads/*.cpp"}},
    {{"openssl/*", "gelf.h", "libelf.h", "elfutils/*", "zstd.h", "re2/*"}, {"*.cpp"}},
    {{"hwloc*"}, {"runners/host/*.cpp"}},
    {{"seccomp.h"}, {"runners/process/call_filter.cpp"}},
    {{"systemd/*"}, {"daemon/*.cpp"}},
    {{"gtest/*", "gmock/*", "benchmark/*", "tests/*"}, {}},
};

struct Source {
  std::string path;  ///< from the root, with forward slashes
  std::string text;
};

bool matches(const Strings& patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
  });
}

bool is_ours(const std::string& header) {
  return std::any_of(source_folders.begin(), source_folders.end(),
                     [&](const std::string& folder) { return header.starts_with(folder + "/"); });
}

bool may_include(const Source& source, const std::string& header) {
  const bool to_record = matches(records, header);
  // A record that included machinery would bring it to everyone who reads the record.
  if (matches(records, source.path)) return to_record || header.starts_with("specs/");
  for (const auto& arrow : arrows) {
    if (!matches({arrow.from}, source.path)) continue;
    return matches(arrow.to, header) || (to_record && arrow.records == Arrow::Records::yes);
  }
  return false;
}

/// What is wrong with the sources, one sentence each, starting with "path:line: ".
Strings wrong_includes(const std::vector<Source>& sources) {
  static const std::regex include(R"rx(^\s*#\s*include\b\s*(?:(<|")([^>"]+)[>"])?)rx");
  Strings wrong;
  std::map<const Guest*, Strings> users;
  for (const auto& source : sources) {
    std::istringstream lines(source.text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string header = match[2];
      const auto complain = [&](const std::string& what) {
        wrong.push_back(source.path + ":" + std::to_string(number) + ": " + what);
      };
      if (header.empty()) {
        complain("an include by macro cannot be checked");
        continue;
      }
      // Folders are compared as written, so a step upwards would hide where the include goes.
      if (header.find("./") != std::string::npos) {
        complain(header + " is not written from the root");
        continue;
      }
      if (is_ours(header) || header == "tandem.hpp") {
        if (!may_include(source, header)) complain("must not include " + header);
        continue;
      }
      const auto guest = std::find_if(guests.begin(), guests.end(),
                                      [&](const Guest& row) { return matches(row.headers, header); });
      if (guest != guests.end()) {
        if (!matches(guest->users, source.path)) complain("must not include " + header);
        auto& files = users[&*guest];
        if (std::find(files.begin(), files.end(), source.path) == files.end()) files.push_back(source.path);
      } else if (match[1] == "\"") {
        complain(header + " is not written from the root");
      }
    }
  }
  for (const auto& [guest, files] : users) {
    if (files.size() <= guest->most_users) continue;
    std::string what = files.back() + ":1: one user too many of " + guest->headers.front() + ", beside";
    for (std::size_t i = 0; i + 1 < files.size(); ++i) what += " " + files[i];
    wrong.push_back(what);
  }
  return wrong;
}

std::vector<Source> read_sources(const fs::path& root) {
  static const Strings patterns = {"*.cpp", "*.hpp", "*.c", "*.h", "*.cc", "*.hh", "*.cxx", "*.ipp", "*.inl"};
  std::vector<Source> sources;
  for (const auto& folder : source_folders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const auto path = entry.path().lexically_relative(root).generic_string();
      // Sources of measured frameworks are data to us, with include paths of their own.
      if (path.starts_with("specs/frameworks/")) continue;
      if (!entry.is_regular_file() || !matches(patterns, path)) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      sources.push_back({path, {std::istreambuf_iterator<char>(file), {}}});
    }
  }
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return sources;
}

std::string joined(const Strings& sentences) {
  std::string text;
  for (const auto& sentence : sentences) text += sentence + "\n";
  return text;
}

TEST(Layering, EveryFolderOfTheDesignExists) {
  for (const auto& folder : source_folders) {
    EXPECT_TRUE(fs::is_directory(fs::path(::tandem::tests::paths::source) / folder)) << folder;
  }
  EXPECT_TRUE(fs::is_directory(fs::path(::tandem::tests::paths::source) / "tests"));
}

TEST(Layering, EveryRecordExists) {
  for (const auto& record : records)
    EXPECT_TRUE(fs::exists(fs::path(::tandem::tests::paths::source) / record)) << record;
}

TEST(Layering, EveryIncludeFollowsTheTables) {
  const auto sources = read_sources(::tandem::tests::paths::source);
  EXPECT_FALSE(sources.empty());
  const auto wrong = wrong_includes(sources);
  EXPECT_TRUE(wrong.empty()) << joined(wrong);
}

/// A module is a header with the source of the same name.
std::string module_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

/// The circles in which modules include each other, a line each.
Strings circles(const std::vector<Source>& sources) {
  static const std::regex include(R"rx(^\s*#\s*include\s*"([^"]+)")rx");
  std::map<std::string, std::set<std::string>> arrows_of;
  for (const auto& source : sources) arrows_of[module_of(source.path)];
  for (const auto& source : sources) {
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string to = module_of(match[1]);
      if (to != module_of(source.path) && arrows_of.contains(to))
        arrows_of[module_of(source.path)].insert(to);
    }
  }
  const auto reached_from = [&](const std::string& begin) {
    std::set<std::string> reached;
    for (Strings next = {begin}; !next.empty();) {
      const std::string at = next.back();
      next.pop_back();
      for (const auto& to : arrows_of[at]) {
        if (reached.insert(to).second) next.push_back(to);
      }
    }
    return reached;
  };
  std::map<std::string, std::set<std::string>> reached;
  for (const auto& [name, to] : arrows_of) reached[name] = reached_from(name);
  std::set<std::string> found;
  for (const auto& [name, all] : reached) {
    if (!all.contains(name)) continue;
    std::string sentence = "a circle of includes:";
    for (const auto& other : all) {
      if (reached[other].contains(name)) sentence += " " + other;
    }
    found.insert(sentence);
  }
  return {found.begin(), found.end()};
}

TEST(Layering, NoModulesIncludeEachOtherInACircle) {
  const auto found = circles(read_sources(::tandem::tests::paths::source));
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(LayeringCheck, CatchesACircle) {
  EXPECT_EQ(circles({{"daemon/walk/a.hpp", "#include \"daemon/walk/b.hpp\"\n"},
                     {"daemon/walk/b.hpp", ""},
                     {"daemon/walk/b.cpp", "#include \"daemon/walk/a.hpp\"\n"},
                     {"daemon/walk/c.cpp", "#include \"daemon/walk/b.hpp\"\n"}}),
            Strings{"a circle of includes: daemon/walk/a daemon/walk/b"});
}

/// Several sources of a library are compiled as one, so a function in an unnamed namespace of one file could
/// be called from another one by mistake. The names that stand in several files of a library, a line each.
Strings shared_names(const std::vector<Source>& sources) {
  static const std::regex function(
      R"rx(^(?:\[\[\w+\]\] )?(?!return\b|using\b|namespace\b|struct\b|class\b|enum\b|template\b)[A-Za-z_][\w:<>,&* ]*[ &*](\w+)\()rx");
  static const std::regex constant(
      R"rx(^(?:const|constexpr|static|inline)[\w:<>,&* ]* (\w+)(?:\[\])?\s*[={])rx");
  const auto library_of = [](const std::string& path) {
    const auto room = path.find('/');
    const bool own = path.find("/shim/") != std::string::npos || path.find("/linker/") != std::string::npos;
    if (own) return path.substr(0, path.rfind('/'));
    return path.starts_with("daemon/") ? path.substr(0, path.find('/', room + 1)) : path.substr(0, room);
  };
  std::map<std::string, std::set<std::string>> files_of;
  for (const auto& source : sources) {
    if (!source.path.ends_with(".cpp")) continue;
    bool inside = false;
    std::istringstream lines(source.text);
    for (std::string line; std::getline(lines, line);) {
      if (line == "namespace {") inside = true;
      if (line == "}  // namespace") inside = false;
      std::smatch match;
      if (!inside || !(std::regex_search(line, match, function) || std::regex_search(line, match, constant)))
        continue;
      files_of[library_of(source.path) + ": " + match[1].str()].insert(source.path);
    }
  }
  Strings found;
  for (const auto& [name, files] : files_of) {
    if (files.size() < 2) continue;
    std::string sentence = name + " stands in";
    for (const auto& file : files) sentence += " " + file;
    found.push_back(sentence);
  }
  return found;
}

TEST(Layering, UnnamedNamespacesOfALibraryShareNoNames) {
  const auto found = shared_names(read_sources(::tandem::tests::paths::source));
  EXPECT_TRUE(found.empty()) << joined(found);
}

TEST(LayeringCheck, CatchesASharedName) {
  const std::string text = "namespace {\nbool is_full(int size) {\n}\n}  // namespace\n";
  EXPECT_EQ(shared_names({{"builders/git/a.cpp", text}, {"builders/hg/b.cpp", text}}),
            (Strings{"builders: is_full stands in builders/git/a.cpp builders/hg/b.cpp"}));
  EXPECT_EQ(shared_names({{"daemon/walk/a.cpp", text}, {"daemon/idle/b.cpp", text}}), Strings{});
}

struct Planted {
  const char* path;
  const char* line;
};

TEST(LayeringCheck, CatchesEveryPlantedWrongInclude) {
  constexpr std::array planted = {
      Planted{"specs/benchmark/metric.hpp", "#include \"config/settings.hpp\""},
      Planted{"config/settings.cpp", "#include \"runners/process/process.hpp\""},
      Planted{"runners/pairing/plan.cpp", "#include \"analysis/verdict.hpp\""},
      Planted{"runners/pairing/plan.cpp", "#include \"config/settings.hpp\""},
      Planted{"runners/pairing/samples.hpp", "#include \"runners/process/process.hpp\""},
      Planted{"runners/sdk/tandem.hpp", "#include \"specs/foundation/error.hpp\""},
      Planted{"runners/workloads/gemm.cpp", "#include \"runners/process/process.hpp\""},
      Planted{"builders/builder.cpp", "#include \"runners/pairing/pair_runner.hpp\""},
      Planted{"builders/builder.cpp", "#include \"analysis/verdict.hpp\""},
      Planted{"analysis/judge.cpp", "#include \"runners/process/process.hpp\""},
      Planted{"analysis/judge.cpp", "#include \"builders/commit.hpp\""},
      Planted{"analysis/judge.cpp", "  #  include <daemon/service/loop.hpp>"},
      Planted{"analysis/judge.cpp", "#include \"../daemon/loop.hpp\""},
      Planted{"daemon/service/loop.cpp", "#include \"poller.hpp\""},
      Planted{"daemon/service/loop.cpp", "#include \"tests/support/clock.hpp\""},
      Planted{"daemon/service/loop.cpp", "#include LOOP_HEADER"},
      Planted{"builders/repository.hpp", "#include <git2.h>"},
      Planted{"builders/builder.cpp", "#include <git2/oid.h>"},
      Planted{"runners/pairing/pair_runner.cpp", "#include <boost/process/v2.hpp>"},
      Planted{"builders/builder.cpp", "#include <boost/asio.hpp>"},
      Planted{"daemon/service/loop.cpp", "#include <boost/beast/core.hpp>"},
      Planted{"runners/process/process.hpp", "#include <boost/system/error_code.hpp>"},
      Planted{"specs/benchmark/spec.hpp", "#include <nlohmann/json.hpp>"},
      Planted{"analysis/judge.cpp", "#include <nlohmann/json.hpp>"},
      Planted{"runners/pairing/pair_runner.cpp", "#include <nlohmann/json.hpp>"},
      Planted{"daemon/store/store.cpp", "#include <nlohmann/json_fwd.hpp>"},
      Planted{"daemon/main.cpp", "#include <CLI/CLI.hpp>"},
      Planted{"daemon/store/store.hpp", "#include <SQLiteCpp/SQLiteCpp.h>"},
      Planted{"daemon/service/loop.hpp", "#include <spdlog/spdlog.h>"},
      Planted{"daemon/main.cpp", "#include <oneapi/dnnl/dnnl.hpp>"},
      Planted{"analysis/matrix.hpp", "#include <Eigen/Core>"},
      Planted{"runners/process/process.cpp", "#include <gtest/gtest.h>"},
  };
  for (const auto& [path, line] : planted) {
    const auto wrong = wrong_includes({{path, std::string("#pragma once\n") + line + "\n"}});
    ASSERT_EQ(wrong.size(), 1u) << path << " " << line;
    EXPECT_TRUE(wrong.front().starts_with(std::string(path) + ":2: ")) << wrong.front();
  }
}

TEST(LayeringCheck, AcceptsWhatTheTablesAllow) {
  const std::vector<Source> sources = {
      {"config/settings.cpp", "#include \"specs/foundation/error.hpp\"\n#include <nlohmann/json.hpp>\n"},
      {"runners/process/process.cpp",
       "#include <boost/asio.hpp>\n#include <boost/process/v2.hpp>\n#include <vector>\n"},
      {"runners/workloads/gemm.cpp", "#include <Eigen/Core>\n#include <tandem.hpp>\n"},
      {"builders/git/repository.cpp", "#include <git2.h>\n#include \"runners/process/process.hpp\"\n"},
      {"builders/builder.cpp",
       "#include \"runners/process/sandbox.hpp\"\n#include \"runners/pairing/samples.hpp\"\n"},
      {"analysis/judge.cpp",
       "#include \"runners/pairing/samples.hpp\"\n// #include \"daemon/service/loop.hpp\"\n"},
      {"daemon/commands/options.cpp", "#include <CLI/CLI.hpp>\n#include \"config/settings.hpp\"\n"},
      {"daemon/walk/pipeline.cpp",
       "#include \"analysis/verdict.hpp\"\n#include \"runners/pairing/pair_runner.hpp\"\n"},
  };
  EXPECT_EQ(joined(wrong_includes(sources)), "");
}

TEST(LayeringCheck, CatchesASecondUserWhereOneIsAllowed) {
  const std::string line = "#include <CLI/CLI.hpp>\n";
  EXPECT_EQ(wrong_includes({{"daemon/commands/a.cpp", line + line}}).size(), 0u);
  EXPECT_EQ(wrong_includes({{"daemon/commands/a.cpp", line}, {"daemon/commands/b.cpp", line}}).size(), 1u);
}

TEST(LayeringCheck, FindsAWrongIncludeInAFileOnDisk) {
  auto name = (fs::temp_directory_path() / "tandem-layering-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const fs::path root = name;
  fs::create_directories(root / "analysis/deep");
  std::ofstream(root / "analysis/deep/judge.hpp")
      << "#pragma once\r\n\r\n#include \"daemon/service/loop.hpp\"\r\n";
  const auto wrong = wrong_includes(read_sources(root));
  fs::remove_all(root);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong.front(), "analysis/deep/judge.hpp:3: must not include daemon/service/loop.hpp");
}

}  // namespace
