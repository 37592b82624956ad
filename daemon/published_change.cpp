#include "daemon/published_change.hpp"

#include <utility>

#include "daemon/report/record_report.hpp"

namespace tandem::daemon {

store::RecordChange published(const Publisher& publisher, store::RecordChange change) {
  return {std::move(change.id), [&publisher, inner = std::move(change.change)](Record record) {
            Record changed = inner(std::move(record));
            publish(publisher, {changed});
            return changed;
          }};
}

void publish(const Publisher& publisher, const std::vector<Record>& records) {
  for (const Record& one : records) {
    publisher.publish(one, report::record_json(one), report::record_markdown(one));
  }
}

}  // namespace tandem::daemon
