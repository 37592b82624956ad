// One input of any bytes through the readers of files that may lie in a state directory. A fuzz target of
// libFuzzer (TANDEM_FUZZ, clang); record_replay_test.cpp gives the same readers mutations of real reports.
#include "daemon/report/fuzz_record_json.hpp"
#include "daemon/records/record_json.hpp"

#include <cstdlib>
#include <string>

#include "daemon/records/state_files.hpp"
#include "daemon/report/record_report.hpp"
#include "specs/foundation/error.hpp"

namespace tandem::tests {

void fuzz_record_json(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  static_cast<void>(daemon::report::marker_from_json(text));
  static_cast<void>(daemon::report::owned_folder_from_json(text));
  static_cast<void>(daemon::report::is_status_json(text));
  daemon::Record record;
  try {
    record = daemon::report::record_from_json(text);
  } catch (const Error&) {
    return;
  }
  const std::string written = daemon::report::record_json(record);
  if (daemon::report::record_json(daemon::report::record_from_json(written)) != written) std::abort();
  static_cast<void>(daemon::report::record_markdown(record));
}

}  // namespace tandem::tests

#ifdef TANDEM_FUZZED
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  tandem::tests::fuzz_record_json(bytes, size);
  return 0;
}
#endif
