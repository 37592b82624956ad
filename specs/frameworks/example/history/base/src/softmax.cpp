#include "pebble/operators.hpp"

namespace pebble {
namespace {

/// e^x for x <= 0, with a relative error below 1e-6; 0 where the result would be denormal.
inline float exponential(float x) {
  if (x < -87.0f) return 0;
  // x = n * ln 2 + r with a whole n. Adding 1.5 * 2^23 leaves no bit for a fraction, so that it rounds to n
  // and has n in its lowest bits. ln 2 comes in two parts, of which the first has few bits and its product no
  // error.
  constexpr float rounder = 12582912.0f;
  const float shifted = x * 1.44269504f + rounder;
  const float n = shifted - rounder;
  const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  // e^r by its Taylor series, the last term first; r is in [-0.35, 0.35].
  float power = 1.0f / 5040;
  power = power * r + 1.0f / 720;
  power = power * r + 1.0f / 120;
  power = power * r + 1.0f / 24;
  power = power * r + 1.0f / 6;
  power = power * r + 1.0f / 2;
  power = power * r + 1;
  power = power * r + 1;
  // 2^n, put together from its bits.
  unsigned bits;
  __builtin_memcpy(&bits, &shifted, sizeof bits);
  bits = (bits + 127) << 23;
  float two_to_n;
  __builtin_memcpy(&two_to_n, &bits, sizeof two_to_n);
  return power * two_to_n;
}

}  // namespace

void softmax(const Tensor& input, Tensor& output) {
  const std::size_t columns = input.columns();
  for (std::size_t i = 0; i < input.rows(); ++i) {
    const float* in = input.row(i);
    float* out = output.row(i);

    float largest = in[0];
    for (std::size_t j = 1; j < columns; ++j) largest = in[j] > largest ? in[j] : largest;

    // Without the largest value every exponent is at most 0, so that nothing overflows.
    double sum = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      out[j] = exponential(in[j] - largest);
      sum += out[j];
    }

    const float scale = static_cast<float>(1 / sum);
    for (std::size_t j = 0; j < columns; ++j) out[j] *= scale;
  }
}

}  // namespace pebble
