#pragma once

#include <string>
#include <utility>

#include "config/config_file.hpp"

namespace tandem::tests {

/// A config file from a text that is already in memory; `file` is its name.
inline config::ConfigFile parse_config(std::string text, const std::string& file, specs::Problems& problems) {
  config::ConfigFile config;
  problems.attempt([&] {
    config = config::read_config(specs::JsonDocument::parse(std::move(text), file, problems), problems);
  });
  return config;
}

}  // namespace tandem::tests
