#pragma once

#include <unistd.h>

#include <utility>

namespace tandem {

/// A file descriptor that is closed at the end of its scope. -1 is none.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  explicit OwnedDescriptor(int descriptor) : descriptor_(descriptor) {}
  OwnedDescriptor(OwnedDescriptor&& from) noexcept : descriptor_(std::exchange(from.descriptor_, -1)) {}
  OwnedDescriptor& operator=(OwnedDescriptor&& from) noexcept {
    std::swap(descriptor_, from.descriptor_);
    return *this;
  }
  ~OwnedDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_ = -1;
};

}  // namespace tandem
