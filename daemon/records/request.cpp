#include "daemon/records/request.hpp"

namespace tandem::daemon {

const char* name_of(Request::Kind kind) {
  switch (kind) {
    case Request::Kind::measure:
      return "measure";
    case Request::Kind::bisect:
      return "bisect";
    case Request::Kind::rerun:
      return "rerun";
    case Request::Kind::confirm:
      return "confirm";
  }
  return "unknown";
}

const char* name_of(Request::Origin origin) {
  switch (origin) {
    case Request::Origin::person:
      return "person";
    case Request::Origin::tandem:
      return "tandem";
  }
  return "unknown";
}

const char* name_of(Request::State state) {
  switch (state) {
    case Request::State::waiting:
      return "waiting";
    case Request::State::running:
      return "running";
    case Request::State::done:
      return "done";
    case Request::State::failed:
      return "failed";
  }
  return "unknown";
}

}  // namespace tandem::daemon
