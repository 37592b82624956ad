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
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

const Strings source_folders = {"config", "specs", "builders", "runners", "analysis", "daemon"};

/// Headers of runners that hold nothing but plain structs, so that analysis and builders may read them.
const Strings records = {"runners/paired_samples.hpp", "runners/pairing.hpp", "runners/random.hpp"};

/// What the files matching `from` may include of ours. The first matching row counts.
struct Arrow {
  std::string from;
  Strings to;
  enum class Records { no, yes } records = Records::no;
};
const std::vector<Arrow> arrows = {
    // What measured programs are compiled from is installed without the rest of the tree.
    {"runners/sdk/*", {"runners/sdk/*", "tandem.hpp"}},
    {"runners/workloads/*", {"runners/workloads/*", "runners/sdk/*", "tandem.hpp"}},
    {"specs/*", {"specs/*"}},
    {"config/*", {"config/*", "specs/*"}},
    {"runners/*", {"runners/*", "specs/*"}},
    {"builders/*",
     {"builders/*", "specs/*", "runners/descriptor.hpp", "runners/process.hpp", "runners/sandbox.hpp"},
     Arrow::Records::yes},
    {"analysis/*", {"analysis/*", "specs/*"}, Arrow::Records::yes},
    {"daemon/*", {"daemon/*", "config/*", "specs/*", "builders/*", "runners/*", "analysis/*"}},
};

/// Which files may include a third-party header. The first matching row counts; a header in no row is free.
struct Guest {
  Strings headers;
  Strings users;
  std::size_t most_users = 1000;
};
const std::vector<Guest> guests = {
    {{"git2.h", "git2/*"}, {"builders/repository*.cpp"}},
    {{"boost/process*"}, {"runners/process.cpp"}},
    {{"boost/asio*"}, {"runners/process.cpp", "daemon/loop.cpp", "daemon/http/*.cpp"}},
    {{"boost/beast*"}, {"daemon/http/*.cpp"}, 1},
    {{"boost/*"}, {"*.cpp"}},
    {{"nlohmann/json_fwd.hpp"},
     {"specs/*", "config/*", "daemon/report/*", "daemon/reporters/*", "daemon/http/*"}},
    // Of runners only the adapters of foreign output read JSON; they are named one by one.
    {{"nlohmann/*"},
     {"specs/*.cpp", "config/*.cpp", "runners/observer_lines.cpp", "runners/google_benchmark.cpp",
      "builders/manifest.cpp", "daemon/report/*.cpp", "daemon/reporters/*.cpp", "daemon/http/*.cpp"}},
    {{"curl/*"}, {"specs/transfer.cpp", "daemon/reporters/http_post.cpp"}},
    {{"CLI/*"}, {"daemon/commands/*.cpp"}, 1},
    {{"SQLiteCpp/*", "sqlite3.h"}, {"daemon/store/*.cpp"}},
    {{"spdlog/*"}, {"*.cpp"}, 1},
    {{"dnnl*", "oneapi/*"}, {"runners/workloads/*.cpp"}},
    {{"Eigen/*"}, {"analysis/*.cpp", "runners/workloads/*.cpp"}},
    {{"openssl/*", "gelf.h", "libelf.h", "elfutils/*", "zstd.h", "re2/*"}, {"*.cpp"}},
    {{"hwloc*"}, {"runners/*.cpp"}},
    {{"seccomp.h"}, {"runners/call_filter.cpp"}},
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

struct Planted {
  const char* path;
  const char* line;
};

TEST(LayeringCheck, CatchesEveryPlantedWrongInclude) {
  constexpr std::array planted = {
      Planted{"specs/metric.hpp", "#include \"config/settings.hpp\""},
      Planted{"config/settings.cpp", "#include \"runners/process.hpp\""},
      Planted{"runners/pair_plan.cpp", "#include \"analysis/verdict.hpp\""},
      Planted{"runners/pair_plan.cpp", "#include \"config/settings.hpp\""},
      Planted{"runners/paired_samples.hpp", "#include \"runners/process.hpp\""},
      Planted{"runners/sdk/tandem.hpp", "#include \"specs/error.hpp\""},
      Planted{"runners/workloads/gemm.cpp", "#include \"runners/process.hpp\""},
      Planted{"builders/builder.cpp", "#include \"runners/pair_runner.hpp\""},
      Planted{"builders/builder.cpp", "#include \"analysis/verdict.hpp\""},
      Planted{"analysis/judge.cpp", "#include \"runners/process.hpp\""},
      Planted{"analysis/judge.cpp", "#include \"builders/commit.hpp\""},
      Planted{"analysis/judge.cpp", "  #  include <daemon/loop.hpp>"},
      Planted{"analysis/judge.cpp", "#include \"../daemon/loop.hpp\""},
      Planted{"daemon/loop.cpp", "#include \"poller.hpp\""},
      Planted{"daemon/loop.cpp", "#include \"tests/support/clock.hpp\""},
      Planted{"daemon/loop.cpp", "#include LOOP_HEADER"},
      Planted{"builders/repository.hpp", "#include <git2.h>"},
      Planted{"builders/builder.cpp", "#include <git2/oid.h>"},
      Planted{"runners/pair_runner.cpp", "#include <boost/process/v2.hpp>"},
      Planted{"builders/builder.cpp", "#include <boost/asio.hpp>"},
      Planted{"daemon/loop.cpp", "#include <boost/beast/core.hpp>"},
      Planted{"runners/process.hpp", "#include <boost/system/error_code.hpp>"},
      Planted{"specs/benchmark_spec.hpp", "#include <nlohmann/json.hpp>"},
      Planted{"analysis/judge.cpp", "#include <nlohmann/json.hpp>"},
      Planted{"runners/pair_runner.cpp", "#include <nlohmann/json.hpp>"},
      Planted{"daemon/store/store.cpp", "#include <nlohmann/json_fwd.hpp>"},
      Planted{"daemon/main.cpp", "#include <CLI/CLI.hpp>"},
      Planted{"daemon/store/store.hpp", "#include <SQLiteCpp/SQLiteCpp.h>"},
      Planted{"daemon/loop.hpp", "#include <spdlog/spdlog.h>"},
      Planted{"daemon/main.cpp", "#include <oneapi/dnnl/dnnl.hpp>"},
      Planted{"analysis/matrix.hpp", "#include <Eigen/Core>"},
      Planted{"runners/process.cpp", "#include <gtest/gtest.h>"},
  };
  for (const auto& [path, line] : planted) {
    const auto wrong = wrong_includes({{path, std::string("#pragma once\n") + line + "\n"}});
    ASSERT_EQ(wrong.size(), 1u) << path << " " << line;
    EXPECT_TRUE(wrong.front().starts_with(std::string(path) + ":2: ")) << wrong.front();
  }
}

TEST(LayeringCheck, AcceptsWhatTheTablesAllow) {
  const std::vector<Source> sources = {
      {"config/settings.cpp", "#include \"specs/error.hpp\"\n#include <nlohmann/json.hpp>\n"},
      {"runners/process.cpp",
       "#include <boost/asio.hpp>\n#include <boost/process/v2.hpp>\n#include <vector>\n"},
      {"runners/workloads/gemm.cpp", "#include <Eigen/Core>\n#include <tandem.hpp>\n"},
      {"builders/repository.cpp", "#include <git2.h>\n#include \"runners/process.hpp\"\n"},
      {"builders/builder.cpp", "#include \"runners/sandbox.hpp\"\n#include \"runners/paired_samples.hpp\"\n"},
      {"analysis/judge.cpp", "#include \"runners/paired_samples.hpp\"\n// #include \"daemon/loop.hpp\"\n"},
      {"daemon/commands/options.cpp", "#include <CLI/CLI.hpp>\n#include \"config/settings.hpp\"\n"},
      {"daemon/pipeline.cpp", "#include \"analysis/verdict.hpp\"\n#include \"runners/pair_runner.hpp\"\n"},
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
  std::ofstream(root / "analysis/deep/judge.hpp") << "#pragma once\r\n\r\n#include \"daemon/loop.hpp\"\r\n";
  const auto wrong = wrong_includes(read_sources(root));
  fs::remove_all(root);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(wrong.front(), "analysis/deep/judge.hpp:3: must not include daemon/loop.hpp");
}

}  // namespace
