#include "engine/random/torch_stream.h"

#include <algorithm>
#include <cmath>

namespace headlight {

std::uint64_t TorchStream::next_u64() {
  const std::uint64_t high = next_u32();
  return high << 32 | next_u32();
}

float TorchStream::rand() {
  return static_cast<float>(next_u32() & 0xFFFFFFu) * 0x1p-24f;
}

float TorchStream::uniform(double low, double high) {
  const float base = static_cast<float>(low);
  const float width = static_cast<float>(high) - base;
  return std::fma(rand(), width, base);
}

double TorchStream::rand_double() {
  return static_cast<double>(next_u64() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
}

void fill_rand(TorchStream& stream, Matrix& matrix) {
  for (Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = stream.rand();
}

void fill_linear_weight(TorchStream& stream, Matrix& weight) {
  // kaiming_uniform_(a = sqrt(5)), in this order of operations: sqrt(5) * sqrt(5) is not 5 in float64.
  const double gain = std::sqrt(2.0 / (1.0 + std::sqrt(5.0) * std::sqrt(5.0)));
  const double bound = std::sqrt(3.0) * (gain / std::sqrt(static_cast<double>(weight.cols())));
  for (Index i = 0; i < weight.size(); ++i)
    weight.data()[i] = stream.uniform(-bound, bound);
}

void fill_linear_bias(TorchStream& stream, Index d_in, Matrix& bias) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(d_in));
  for (Index i = 0; i < bias.size(); ++i)
    bias.data()[i] = stream.uniform(-bound, bound);
}

void draw_dropout_noise(TorchStream& stream, double probability, float* noise, std::size_t count) {
  if (probability <= 0.0 || probability >= 1.0) {
    std::fill(noise, noise + count, probability <= 0.0 ? 1.0f : 0.0f);
    return;
  }
  const double keep = 1.0 - probability;
  const float kept_value = 1.0f / static_cast<float>(keep);
  for (std::size_t i = 0; i < count; ++i)
    noise[i] = stream.rand_double() < keep ? kept_value : 0.0f;
}

}  // namespace headlight
