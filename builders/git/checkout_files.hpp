#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "builders/repository.hpp"
#include "specs/foundation/descriptor.hpp"

/// Files of a checkout, always through the descriptor of their directory so that no link on the way is
/// followed. `path` is only for messages. Every function throws CheckoutRefusal.
namespace tandem::builders::git {

/// Ends a checkout from any depth.
struct CheckoutRefusal {
  CheckoutFailure failure;
};

[[noreturn]] void refuse(CheckoutFailure::Kind kind, const std::string& sentence);
[[noreturn]] void refuse_errno(const std::string& doing, const std::string& path);

enum class Mode { plain, executable };

void make_directory(int directory, const std::string& name, const std::string& path);
[[nodiscard]] OwnedDescriptor open_directory(int directory, const std::string& name, const std::string& path);
void write_file(int directory, const std::string& name, std::string_view content, Mode mode,
                const timespec (&times)[2], const std::string& path);
void write_link(int directory, const std::string& name, const std::string& target, const timespec (&times)[2],
                const std::string& path);

/// The bytes of a plain file; nothing if it is something else or its mode is another.
[[nodiscard]] std::optional<std::string> read_file(int directory, const std::string& name, Mode mode,
                                                   const std::string& path);
[[nodiscard]] std::string read_link(int directory, const std::string& name, const std::string& path);
[[nodiscard]] std::size_t count_entries(int directory, const std::string& path);

}  // namespace tandem::builders::git
