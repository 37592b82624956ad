#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tandem::specs {

/// "https" of "HTTPS://host/file", in lower case; empty if the location is none with a scheme.
[[nodiscard]] std::string scheme_of(std::string_view location);

/// A URL as sentences may show it: without user and password, and without what follows "?" or "#", for
/// signed addresses carry their secret there.
[[nodiscard]] std::string shown_url(const std::string& url);

/// Why a download from `from` does not follow the server to `to`; nothing if it does. From http it may go to
/// http and https, from https to https alone.
[[nodiscard]] std::optional<std::string> refused_redirect(const std::string& from, const std::string& to);

/// The path of "file:///folder/a%20file", which has to be on this host; nothing if it is none.
[[nodiscard]] std::optional<std::string> path_of_file_url(const std::string& url);

}  // namespace tandem::specs
