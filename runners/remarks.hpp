#pragma once

#include <map>
#include <string>
#include <vector>

namespace tandem::runners {

/// What a program said about its results beside the values.
struct Remarks {
  std::string info_string = {};                 ///< several different ones stand on lines of their own
  std::map<std::string, double> summary = {};   ///< statistics of its own, by FAI-PEP's names
  std::vector<std::string> custom_output = {};  ///< tables as JSON text; kept with its first series
};

}  // namespace tandem::runners
