#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>

#include "specs/files/cached_file.hpp"
#include "specs/files/model_files.hpp"
#include "specs/foundation/hashes.hpp"
#include "support/server_process.hpp"
#include "support/temporary_directory.hpp"

namespace tandem::specs {

inline Digests digests_of(std::string_view text) {
  Md5 md5;
  Sha256 sha256;
  md5.add(text);
  sha256.add(text);
  return {md5.finish(), sha256.finish()};
}

/// A folder served over HTTP and a model cache.
class ModelFilesTest : public testing::Test {
 protected:
  using Reason = FileFailure::Reason;
  using Provided = std::variant<std::filesystem::path, FileFailure>;

  ModelFilesTest() : server_("file_server.py", {"--root", served().string()}) {
    ::setenv("no_proxy", "127.0.0.1", 1);
    settings_.cache = directory_.path() / "cache";
  }

  [[nodiscard]] std::filesystem::path served() const {
    std::filesystem::create_directories(directory_.path() / "served");
    return directory_.path() / "served";
  }

  /// A file of the server. Its content does not repeat itself, so that a shifted piece shows.
  std::string serve(const std::string& name, std::size_t size, unsigned seed = 1) const {
    std::string content;
    for (unsigned value = seed * 2654435761u; content.size() < size; value = value * 1664525u + 1013904223u) {
      content += static_cast<char>(value >> 24);
    }
    write(served() / name, content);
    return content;
  }

  static void write(const std::filesystem::path& file, const std::string& content) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
  }

  static std::string content_of(const std::filesystem::path& file) {
    std::ifstream input(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
  }

  /// What is served there, as "graph.pb" of a model.
  [[nodiscard]] FileSpec at(const std::string& path) const { return at_url(server_.url(path)); }
  [[nodiscard]] static FileSpec at_url(const std::string& url) {
    FileSpec file;
    file.key = "files.graph";
    file.filename = "graph.pb";
    file.location = url;
    return file;
  }

  [[nodiscard]] std::filesystem::path place() const {
    return settings_.cache / "caffe2" / "squeezenet" / "graph.pb";
  }
  [[nodiscard]] std::filesystem::path part() const { return place().string() + ".part"; }

  Provided try_provide(const FileSpec& file, const ShowDownload& show = {},
                       const std::stop_token& stop = {}) const {
    return provide_file(file, "caffe2", "squeezenet", settings_, show, stop);
  }

  /// Where it lies; empty, and a failed test, if it cannot be had.
  std::filesystem::path provide(const FileSpec& file) const {
    const Provided result = try_provide(file);
    if (const auto* failure = std::get_if<FileFailure>(&result)) {
      ADD_FAILURE() << failure->what;
      return {};
    }
    return std::get<std::filesystem::path>(result);
  }

  static FileFailure failure_of(const Provided& result) {
    if (const auto* path = std::get_if<std::filesystem::path>(&result)) {
      ADD_FAILURE() << "there is " << *path;
      return {};
    }
    return std::get<FileFailure>(result);
  }
  FileFailure fail(const FileSpec& file) const { return failure_of(try_provide(file)); }

  /// Leaves the first half of a path with "?half" in `part()`, as a stopped process does.
  void interrupt_at_half(const FileSpec& file, std::size_t half) const {
    std::stop_source stop;
    const ShowDownload show = [&](const DownloadProgress& progress) {
      if (progress.done == half) stop.request_stop();
    };
    EXPECT_EQ(failure_of(try_provide(file, show, stop.get_token())).reason, Reason::unavailable);
    EXPECT_EQ(std::filesystem::file_size(part()), half);
  }

  /// One line a request: path, range, status.
  [[nodiscard]] std::string requests() const { return server_.get("/stats"); }
  [[nodiscard]] std::size_t request_count() const {
    const std::string lines = requests();
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
  void wait_for_requests(std::size_t count) const {
    while (request_count() < count) std::this_thread::yield();
  }

  tests::TemporaryDirectory directory_;
  tests::ServerProcess server_;
  ModelFileSettings settings_;
};

}  // namespace tandem::specs
