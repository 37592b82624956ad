#pragma once

#include "runners/sdk/tandem.hpp"
#include "specs/foundation/descriptor.hpp"

namespace tandem::runners {

/// The memory through which the two programs of a launch hand slices over to each other; new for every
/// launch. Sealed, so that no program can cut it off under the other. Throws Error if there is none to be
/// had.
class SharedPage {
 public:
  SharedPage();
  ~SharedPage();
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  [[nodiscard]] int descriptor() const { return file_.get(); }
  Page* operator->() const { return page_; }

 private:
  OwnedDescriptor file_;
  Page* page_ = nullptr;
};

}  // namespace tandem::runners
