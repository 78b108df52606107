#include "engine/core/torch_stream.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace headlight {

TorchStream::TorchStream(std::int64_t seed) : generator_(static_cast<std::uint32_t>(seed)) {}

std::uint64_t TorchStream::next_u64() {
  const std::uint64_t high = next_u32();
  return high << 32 | next_u32();
}

float TorchStream::uniform(double low, double high) {
  const float base = static_cast<float>(low);
  const float width = static_cast<float>(high) - base;
  return std::fma(rand(), width, base);
}

void fill_rand(TorchStream& stream, Matrix& matrix) {
  std::generate_n(matrix.data(), matrix.size(), [&] { return stream.rand(); });
}

void fill_linear_weight(TorchStream& stream, Matrix& weight) {
  // kaiming_uniform_(a = sqrt(5)) with PyTorch's order of operations: sqrt(5) * sqrt(5) is not 5 in float64.
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

namespace {

constexpr std::size_t kNormalGroup = 16;

// Box and Muller's transform: of 16 uniform numbers the first 8 become radii, the others angles.
void draw_normal_group(float deviation, float* numbers) {
  constexpr std::size_t kHalf = kNormalGroup / 2;
  for (std::size_t i = 0; i < kHalf; ++i) {
    const float radius = std::sqrt(-2.0f * std::log(1 - numbers[i]));
    const float angle = 2.0f * std::numbers::pi_v<float> * numbers[i + kHalf];
    numbers[i] = radius * std::cos(angle) * deviation;
    numbers[i + kHalf] = radius * std::sin(angle) * deviation;
  }
}

void draw_uniform(TorchStream& stream, float* numbers, std::size_t count) {
  std::generate_n(numbers, count, [&] { return stream.rand(); });
}

}  // namespace

void fill_normal(TorchStream& stream, float deviation, float* numbers, std::size_t count) {
  if (count < kNormalGroup) {
    std::array<float, kNormalGroup> group{};
    fill_normal(stream, deviation, group.data(), kNormalGroup);
    std::copy_n(group.begin(), count, numbers);
    return;
  }
  draw_uniform(stream, numbers, count);
  for (std::size_t i = 0; i + kNormalGroup <= count; i += kNormalGroup)
    draw_normal_group(deviation, numbers + i);
  if (count % kNormalGroup == 0) return;
  // The last 16 numbers are drawn once more.
  draw_uniform(stream, numbers + count - kNormalGroup, kNormalGroup);
  draw_normal_group(deviation, numbers + count - kNormalGroup);
}

std::vector<std::int64_t> draw_whole(TorchStream& stream, std::int64_t end, std::size_t count) {
  std::vector<std::int64_t> drawn(count);
  for (std::int64_t& one : drawn)
    one = static_cast<std::int64_t>(stream.next_u32()) % end;
  return drawn;
}

namespace {

// If all or none of the values are kept, fills `noise` and returns true; nothing is drawn.
bool fill_undrawn(double probability, float* noise, std::size_t count) {
  if (probability > 0.0 && probability < 1.0) return false;
  std::fill(noise, noise + count, probability <= 0.0 ? 1.0f : 0.0f);
  return true;
}

}  // namespace

void draw_dropout_noise(TorchStream& stream, double probability, float* noise, std::size_t count) {
  if (fill_undrawn(probability, noise, count)) return;
  const double keep = 1.0 - probability;
  // A 53-bit number as a fraction is below `keep` exactly if the number is below this threshold, because
  // scaling by 2^53 is exact.
  const auto threshold = static_cast<std::uint64_t>(std::ceil(keep * 0x1p53));
  const float kept = 1.0f / static_cast<float>(keep);
  std::generate_n(noise, count, [&] { return stream.next_fraction() < threshold ? kept : 0.0f; });
}

constexpr std::uint64_t kMklModulus = (std::uint64_t{1} << 31) - 1, kMklFactor = 1132489760;

MklStream::MklStream(std::uint32_t seed) : state_(std::max<std::uint64_t>(seed % kMklModulus, 1)) {}

double MklStream::next_uniform() {
  const double uniform = static_cast<double>(state_) / static_cast<double>(kMklModulus);
  state_ = kMklFactor * state_ % kMklModulus;
  return uniform;
}

void draw_dropout_noise(MklStream& stream, double probability, float* noise, std::size_t count) {
  if (fill_undrawn(probability, noise, count)) return;
  const double keep = 1.0 - probability;
  const float kept = 1 / static_cast<float>(keep);
  for (std::size_t i = 0; i < count; ++i)
    noise[i] = stream.next_uniform() < keep ? kept : 0.0f;
}

std::int64_t embeddings_seed(std::int64_t seed) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(seed) + (std::uint64_t{1} << 31));
}

}  // namespace headlight
