#pragma once

#include <string>
#include <string_view>

namespace tandem::daemon::reporters {

/// One component of a path for any text: never empty, hidden, "..", or with a slash in it.
///
/// Text of letters, digits, "_", "-", "+" and "." is its own name. Anything else is spelled as FAI-PEP spells
/// it (spaces, slashes and colons become "-", the rest vanishes), followed by "~" and a digest of the text,
/// so that two texts never share a name.
[[nodiscard]] std::string safe_name(std::string_view text);

/// The same for a key of results, "NET-latency" as FAI-PEP writes "NET latency". Never "meta".
[[nodiscard]] std::string safe_key_name(std::string_view type, std::string_view metric);

}  // namespace tandem::daemon::reporters
