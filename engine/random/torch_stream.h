// The random stream of torch.manual_seed on the CPU, bit for bit (PyTorch 1.13, float32, AVX2 build):
// MT19937, then rand, uniform_, nn.Linear's default initialisation and Dropout as PyTorch draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/random/mersenne_block.h"

namespace headlight {

class TorchStream {
 public:
  // Seeds as torch.manual_seed does: any 64-bit seed, also negative; only the low 32 bits matter.
  explicit TorchStream(std::int64_t seed);

  std::uint32_t next_u32() {
    if (next_ == kMersenneBlock) refill();
    return outputs_[next_++];
  }
  // Two outputs; the first one is the high word.
  std::uint64_t next_u64();
  // Draws the next outputs that are contiguous in memory: 1 to `most` of them; `most` is at least 1. The span
  // is valid until the next draw.
  std::span<const std::uint32_t> next_run(std::size_t most);
  // Advances the stream by `count` outputs.
  void skip(std::uint64_t count);

  // torch.rand, float32: 24 bits, in [0, 1).
  float rand() { return rand_of(next_u32()); }
  static float rand_of(std::uint32_t output) { return static_cast<float>(output & 0xFFFFFFu) * 0x1p-24f; }
  // Tensor.uniform_(low, high): one fused multiply-add per value, rounded as in the AVX2 build.
  float uniform(double low, double high);
  // The float64 uniform in [0, 1) that Dropout compares with the probability: 53 bits of two outputs.
  double rand_double();

 private:
  void refill();

  MersenneWords state_, outputs_;
  std::size_t next_ = kMersenneBlock;  // index of the first output that has not been drawn
};

// matrix = torch.rand(rows, cols), row by row.
void fill_rand(TorchStream& stream, Matrix& matrix);

// The default weight of nn.Linear(d_in, d_out). weight: d_out x d_in, resized by the caller.
void fill_linear_weight(TorchStream& stream, Matrix& weight);

// The default bias of nn.Linear(d_in, d_out). bias: 1 x d_out.
void fill_linear_bias(TorchStream& stream, Index d_in, Matrix& bias);

// Tensor.normal_(0, deviation) of `count` numbers, within two units in the last place: PyTorch's own
// logarithm and cosine round differently. Below 16 numbers PyTorch draws in another way; here the first of 16
// are taken.
void fill_normal(TorchStream& stream, float deviation, float* numbers, std::size_t count);

// torch.randint(0, end, (count,)): end from 1 to 2^32 - 1.
std::vector<std::int64_t> draw_whole(TorchStream& stream, std::int64_t end, std::size_t count);

// The multipliers of Dropout(probability) in training, `count` values in index order: 0 or 1/(1-p).
// probability in [0, 1]. p == 0 gives ones and p == 1 zeros; neither draws from the stream.
void draw_dropout_noise(TorchStream& stream, double probability, float* noise, std::size_t count);

// The generator of dropout in PyTorch's wheels with MKL on Intel processors: MCG31m1, the multiplicative
// congruential generator x -> 1132489760 x mod (2^31 - 1) of L'Ecuyer 1999. Each call of Dropout seeds it
// with one output of torch's stream. It gives the masks that pytorch/pytorch#15714, #84030 and #94388 show.
class MklStream {
 public:
  explicit MklStream(std::uint32_t seed);
  // The next number in (0, 1); each value takes one, in index order.
  double next_uniform();

 private:
  std::uint64_t state_;
};

// The multipliers of Dropout drawn from an MklStream. Several matrices of one call take consecutive numbers.
void draw_dropout_noise(MklStream& stream, double probability, float* noise, std::size_t count);

// The seed for token embeddings of a model whose weights are drawn with `seed`: with the same seed both would
// be the same numbers. torch.manual_seed(seed + 2**31), of which only the low 32 bits matter.
std::int64_t embeddings_seed(std::int64_t seed);

}  // namespace headlight
