#pragma once

#include <string>

#include "specs/test_view.hpp"

namespace tandem::specs {

/// The command that FAI-PEP composes for a test with `inputs` and without commands of its own, or with its
/// old form `"commands": {"caffe2": {FLAG: VALUE}}`; with placeholders. Only Caffe2 and TensorFlow Lite have
/// such a form; others throw ProblemError.
[[nodiscard]] std::string old_command(const TestView& view);

}  // namespace tandem::specs
