#include "specs/foundation/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "specs/foundation/descriptor.hpp"

namespace tandem {

MappedFile::MappedFile(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw std::system_error(error, std::generic_category(), "cannot read " + file.string());
  };
  // Without O_NONBLOCK a named pipe would wait for its other end.
  const OwnedDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (descriptor.get() < 0 || ::fstat(descriptor.get(), &status) != 0) fail(errno);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  if (status.st_size == 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (mapped == MAP_FAILED) fail(errno);
  start_ = static_cast<char*>(mapped);
}

MappedFile::~MappedFile() {
  if (start_ != nullptr) ::munmap(start_, size_);
}

}  // namespace tandem
