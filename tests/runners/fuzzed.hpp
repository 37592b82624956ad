#pragma once

#include <cstddef>
#include <cstdint>

namespace tandem::runners::tests {

/// Any bytes through one reader of foreign output; they abort when it gives back what it must never give.
/// Each is a libFuzzer target (TANDEM_FUZZ, clang; fuzz_main.cpp), and the replay tests give each mutations
/// of real output.
void fuzz_observer_lines(const std::uint8_t* bytes, std::size_t size);
void fuzz_google_benchmark(const std::uint8_t* bytes, std::size_t size);
void fuzz_benchdnn_lines(const std::uint8_t* bytes, std::size_t size);
void fuzz_golden_output(const std::uint8_t* bytes, std::size_t size);
void fuzz_instruction_count(const std::uint8_t* bytes, std::size_t size);
void fuzz_platform_text(const std::uint8_t* bytes, std::size_t size);
void fuzz_tflite_lines(const std::uint8_t* bytes, std::size_t size);

}  // namespace tandem::runners::tests
