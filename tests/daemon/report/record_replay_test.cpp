// The reader of reports, given thousands of small changes to real ones: what is read must be sound, the rest
// refused, and nothing may crash.
#include <gtest/gtest.h>

#include "daemon/records/record_json.hpp"
#include "daemon/records/state_files.hpp"
#include "daemon/report/fuzz_record_json.hpp"
#include "daemon/report/record_report.hpp"
#include "daemon/report/sample_record.hpp"
#include "tests/runners/mutations.hpp"

namespace tandem::daemon::report {
namespace {

const std::vector<std::string> pieces = {
    "{",       "}", "[", "]",   "\"", "null", "1e999", "-1", "true", "\xff",
    "\\u0000", ",", ":", "1.5", "{}", "[]",   "0x1",   "\n", "\"\"", "18446744073709551616"};

TEST(Reports, AreReadOrRefusedAfterThousandsOfMutations) {
  const std::vector<std::string> texts = {record_json(tests::sample_regression()),
                                          record_json(tests::sample_partly_fixed()),
                                          record_json(tests::sample_layout()),
                                          record_json(tests::sample_hostile()),
                                          marker_json({1, "0a1b"}),
                                          owned_folder_json({"0a1b"})};
  tandem::Random random(20240501);
  for (int i = 0; i < 3'000; ++i) {
    std::string text = texts[random.below(texts.size())];
    for (std::uint64_t edits = random.below(4); edits > 0 && !text.empty(); --edits) {
      tandem::tests::mutate(text, pieces, random);
    }
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    tests::fuzz_record_json(bytes.data(), bytes.size());
  }
}

/// Puts other values in the place of every value of a report, one by one.
TEST(Reports, AreReadOrRefusedWithAnyValueInAnyPlace) {
  const std::string text = record_json(tests::sample_partly_fixed());
  for (std::size_t at = text.find(": "); at != std::string::npos; at = text.find(": ", at + 1)) {
    const std::size_t end = text.find('\n', at);
    const bool comma = text[end - 1] == ',';
    for (const char* value : {"null", "true", "-1", "1e300", "\"\"", "[]", "{}", "[1]", "[{}]"}) {
      const std::string changed = text.substr(0, at + 2) + value + (comma ? "," : "") + text.substr(end);
      const std::vector<std::uint8_t> bytes(changed.begin(), changed.end());
      tests::fuzz_record_json(bytes.data(), bytes.size());
    }
  }
}

}  // namespace
}  // namespace tandem::daemon::report
