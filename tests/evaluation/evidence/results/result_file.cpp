#include "evaluation/evidence/results/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <tuple>

#include "evaluation/evidence/results/result_json.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr std::array order = {"replay",    "live",   "layouts", "power", "rivals",
                              "ablations", "spread", "culprit", "cost"};

auto rank_of(const PartResult& result) {
  const auto place = std::find(order.begin(), order.end(), result.part);
  return std::tuple(place - order.begin(), result.part);
}

void check_name(const std::string& name) {
  const bool usable = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!usable)
    throw Error(fmt::format("\"{}\" is no name of a result: small letters, digits, - and _", name));
}

void write_by_rename(const fs::path& path, const std::string& text) {
  fs::path fresh = path;
  fresh += ".new";
  {
    errno = 0;
    std::ofstream file(fresh, std::ios::binary);
    if (!(file << text).flush())
      throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(),
                              "cannot write " + fresh.string());
  }
  fs::rename(fresh, path);
}

std::optional<PartResult> result_in(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error("cannot read " + path.string());
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  try {
    auto result = result_in_json(text);
    if (result && result->part != path.stem())
      throw Error(fmt::format("it is the result of \"{}\"", result->part));
    return result;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace

void write_result(const fs::path& directory, const PartResult& result) {
  check_name(result.part);
  for (const Plot& plot : result.plots) check_name(plot.name);
  const std::string json = json_of(result);
  fs::create_directories(directory);
  // The drawings first: whoever finds the result finds them too.
  for (const Plot& plot : result.plots) write_by_rename(directory / (plot.name + ".svg"), svg_of(plot));
  write_by_rename(directory / (result.part + ".json"), json);
}

std::vector<PartResult> read_results(const fs::path& directory) {
  std::vector<PartResult> results;
  if (!fs::exists(directory)) return results;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
    if (auto result = result_in(entry.path())) results.push_back(std::move(*result));
  }
  std::sort(results.begin(), results.end(),
            [](const PartResult& a, const PartResult& b) { return rank_of(a) < rank_of(b); });
  return results;
}

std::string HostResults::processor() const {
  for (const PartResult& result : results) {
    if (const auto found = result.host.find("cpu"); found != result.host.end()) return found->second;
  }
  return folder;
}

std::vector<HostResults> read_hosts(const fs::path& directory) {
  std::vector<HostResults> hosts;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (!entry.is_directory()) continue;
    HostResults host{entry.path().filename(), read_results(entry.path())};
    if (!host.results.empty()) hosts.push_back(std::move(host));
  }
  std::sort(hosts.begin(), hosts.end(), [](const HostResults& a, const HostResults& b) {
    return std::tuple(b.results.size(), a.folder) < std::tuple(a.results.size(), b.folder);
  });
  return hosts;
}

}  // namespace tandem::evaluation
