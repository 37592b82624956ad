#pragma once

#include <optional>
#include <stop_token>

#include "daemon/spec_tests.hpp"
#include "specs/model_files.hpp"

namespace tandem::daemon {

/// Brings the files and libraries that a test reads to this machine: afterwards its placeholders have values
/// and its programs find the libraries. Nothing means success; a stop is a failure too.
[[nodiscard]] std::optional<specs::FileFailure> bring_files(Test& test,
                                                            const specs::ModelFileSettings& settings,
                                                            const specs::ShowDownload& show,
                                                            const std::stop_token& stop);

}  // namespace tandem::daemon
