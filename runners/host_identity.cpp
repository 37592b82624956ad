#include "runners/host_identity.hpp"

#include <fmt/format.h>

namespace tandem::runners {
namespace {

std::string said(const std::optional<std::string>& text) {
  return text && !text->empty() ? *text : "unknown";
}

const char* said(const std::optional<bool>& truth) {
  return !truth ? "unknown" : *truth ? "on" : "off";
}

}  // namespace

std::string host_identity(const MachineFacts& facts) {
  return fmt::format("kernel {}, {}, microcode {}, governor {}, turbo {}, SMT {}, {} processors",
                     facts.kernel.empty() ? "unknown" : facts.kernel, said(facts.cpu_model),
                     said(facts.microcode), said(facts.governor), said(facts.turbo), said(facts.smt),
                     facts.processors);
}

}  // namespace tandem::runners
