#include "daemon/store/store.hpp"

#include "daemon/store/database.hpp"

namespace tandem::daemon::store {

Store::Store(const std::filesystem::path& file, Mode mode)
    : database_(std::make_unique<Database>(file, mode)) {}

Store::~Store() = default;

}  // namespace tandem::daemon::store
