#pragma once

#include <unistd.h>

namespace tandem::specs {

/// An open file that is closed at the end of its scope. -1 is none.
class OwnedFile {
 public:
  explicit OwnedFile(int descriptor = -1) : descriptor_(descriptor) {}
  OwnedFile(OwnedFile&& from) noexcept : descriptor_(from.descriptor_) { from.descriptor_ = -1; }
  OwnedFile& operator=(OwnedFile&&) = delete;
  ~OwnedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace tandem::specs
