#include "runners/pairing/pairing.hpp"

#include <array>

namespace tandem::runners {

const char* name_of(Pairing pairing) {
  switch (pairing) {
    case Pairing::alternate:
      return "alternate";
    case Pairing::duet:
      return "duet";
    case Pairing::process:
      return "process";
    case Pairing::process_together:
      return "process_together";
  }
  return "";
}

std::optional<Pairing> pairing_named(std::string_view name) {
  for (const Pairing pairing :
       {Pairing::alternate, Pairing::duet, Pairing::process, Pairing::process_together}) {
    if (name == name_of(pairing)) return pairing;
  }
  return std::nullopt;
}

}  // namespace tandem::runners
