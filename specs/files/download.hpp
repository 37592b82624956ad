#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "specs/files/model_files.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::specs {

/// The beginning of a file that is downloaded, on disk, and beside it in PART.from whose beginning it is, so
/// that a later process goes on with it.
///
/// Not locked: one user at a time. Everything throws Error if the disk fails.
class PartialFile {
 public:
  /// What is there already is kept if it began at the same URL and the server named the version.
  PartialFile(std::filesystem::path part, const std::string& url);

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::optional<std::uint64_t> total() const { return total_; }
  [[nodiscard]] bool whole() const { return total_ == size_; }

  /// The version as If-Range names it; empty: it cannot be continued.
  [[nodiscard]] const std::string& validator() const { return validator_; }

  /// Whether some of it came from an earlier answer.
  [[nodiscard]] bool continued() const { return continued_; }

  /// Throws away what is there; `append` follows from the first byte.
  void begin(const std::string& validator, std::optional<std::uint64_t> total);
  void forget() { begin("", std::nullopt); }

  /// `append` follows where it ends.
  void go_on() { continued_ = true; }
  void append(std::string_view bytes);

  /// Bytes that its disk has left.
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  [[noreturn]] void fail(const std::string& doing) const;
  void read_origin();

  std::filesystem::path part_;
  std::filesystem::path origin_;
  std::string source_;
  OwnedDescriptor file_;
  std::uint64_t size_ = 0;
  std::optional<std::uint64_t> total_;
  std::string validator_;
  bool continued_ = false;
};

/// Where a partial file says whose beginning it is.
[[nodiscard]] std::filesystem::path origin_of(const std::filesystem::path& part);

/// Removes it with its origin, if it is there.
void remove_partial(const std::filesystem::path& part);

struct DownloadRequest {
  std::string url;             ///< http or https
  std::filesystem::path part;  ///< where it goes; a beginning of it that lies there is continued
  std::string name;            ///< as progress and sentences call it
  std::chrono::seconds stall{30};
  int tries = 3;
};

struct Downloaded {
  enum class Origin {
    one_answer,
    several_answers  ///< a beginning was continued, which rests on the server's word that nothing changed
  };
  Origin origin = Origin::one_answer;
};

/// Brings all of one URL to `part`, which is left for a later try if that fails.
///
/// Follows at most ten redirects. What may pass is tried again after a short pause: a server's error, a
/// connection that breaks or brings nothing for `stall`; other answers are not. Proxies come from the
/// environment as curl takes them, certificates from SSL_CERT_FILE if that is set. `show` is called in this
/// thread.
[[nodiscard]] std::variant<Downloaded, FileFailure> download(const DownloadRequest& request,
                                                             const ShowDownload& show,
                                                             const std::stop_token& stop);

}  // namespace tandem::specs
