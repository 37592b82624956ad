#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::tests {

/// Reads any bytes as a report: it is read and can be written and read again, or it is refused with an Error.
void fuzz_record_json(const std::uint8_t* bytes, std::size_t size);

}  // namespace tandem::tests
