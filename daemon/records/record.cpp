#include "daemon/records/record.hpp"

#include "specs/foundation/hashes.hpp"

namespace tandem::daemon {

bool is_step(RecordKind kind) {
  return kind == RecordKind::regression || kind == RecordKind::improvement || kind == RecordKind::accumulated;
}

bool is_alive(RecordState state) {
  return state == RecordState::open || state == RecordState::acknowledged ||
         state == RecordState::partly_fixed;
}

const char* name_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::regression:
      return "regression";
    case RecordKind::improvement:
      return "improvement";
    case RecordKind::accumulated:
      return "accumulated";
    case RecordKind::layout:
      return "layout";
    case RecordKind::not_reproduced:
      return "not reproduced";
    case RecordKind::postponed:
      return "postponed";
    case RecordKind::unconfirmed:
      return "could not be confirmed";
  }
  return "unknown";
}

const char* name_of(RecordState state) {
  switch (state) {
    case RecordState::open:
      return "open";
    case RecordState::acknowledged:
      return "acknowledged";
    case RecordState::partly_fixed:
      return "partly fixed";
    case RecordState::fixed:
      return "fixed";
    case RecordState::recovered:
      return "recovered";
    case RecordState::accepted:
      return "dismissed as accepted";
    case RecordState::false_alarm:
      return "dismissed as false alarm";
    case RecordState::superseded:
      return "superseded";
    case RecordState::noted:
      return "noted";
  }
  return "unknown";
}

const char* name_of(FixOutcome outcome) {
  switch (outcome) {
    case FixOutcome::gone:
      return "gone";
    case FixOutcome::faster:
      return "faster";
    case FixOutcome::left:
      return "left";
    case FixOutcome::hidden:
      return "hidden";
    case FixOutcome::not_measured:
      return "not measured";
  }
  return "unknown";
}

const char* name_of(FixBasis basis) {
  switch (basis) {
    case FixBasis::named:
      return "named";
    case FixBasis::size:
      return "size";
    case FixBasis::alone:
      return "alone";
  }
  return "unknown";
}

std::string record_id(const WatchKey& key, const std::string& benchmark, const std::string& metric,
                      const std::string& culprit) {
  constexpr std::size_t digits = 16;
  Sha256 hash;
  for (const std::string* part : {&key.watch, &key.platform, &benchmark, &metric, &culprit}) {
    hash.add(*part);
    hash.add("\n");
  }
  return hash.finish().substr(0, digits);
}

}  // namespace tandem::daemon
