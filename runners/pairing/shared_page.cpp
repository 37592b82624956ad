#include "runners/pairing/shared_page.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "specs/foundation/error.hpp"

namespace tandem::runners {
namespace {

[[noreturn]] void fail() {
  throw Error(fmt::format("cannot make a shared page: {}", std::strerror(errno)));
}

}  // namespace

SharedPage::SharedPage() : file_(::memfd_create("tandem-page", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  if (file_.get() < 0 || ::ftruncate(file_.get(), sizeof(Page)) != 0) fail();
  // A program that cut it off would take everyone who reads it along.
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail();
  void* memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) fail();
  page_ = static_cast<Page*>(memory);
  page_->magic = Page::magic_value;
}

SharedPage::~SharedPage() {
  ::munmap(page_, sizeof(Page));
}

}  // namespace tandem::runners
