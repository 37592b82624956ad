#pragma once

#include <cstdint>
#include <string>

namespace tandem::builders {

/// One commit as version control tells it. Texts are valid UTF-8 on one line; times are seconds since 1970
/// UTC.
struct Commit {
  std::string id;            ///< 40 hexadecimal digits
  std::string first_parent;  ///< empty for a root
  std::string tree;
  std::string subject;
  std::string author_name;
  std::string author_email;
  std::int64_t author_time = 0;
  std::int64_t committer_time = 0;
};

}  // namespace tandem::builders
