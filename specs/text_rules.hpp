#pragma once

#include "specs/spec_fields.hpp"

namespace tandem::specs {

// The forms of text in benchmark files.

extern const TextRule statistic_rule;       ///< "mean", "stdev", "MAD", "cv", "p99.9"
extern const TextRule md5_rule;             ///< or empty, or FAI-PEP's "directory"
extern const TextRule sha256_rule;          ///< or empty
extern const TextRule cpu_mask_rule;        ///< as of taskset: "0f"
extern const TextRule cpu_list_rule;        ///< "0-3,8"
extern const TextRule environment_rule;     ///< the name of a variable
extern const TextRule parameter_name_rule;  ///< letters, digits and _
extern const TextRule command_flag_rule;    ///< of the command line, with or without dashes
extern const TextRule flag_word_rule;       ///< true and false as texts

}  // namespace tandem::specs
