// The random stream of torch.manual_seed on the CPU, bit for bit (PyTorch 1.13, float32, AVX2 build):
// MT19937, then rand, uniform_, nn.Linear's default initialisation and Dropout as PyTorch draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "engine/core/matrix.h"

namespace headlight {

// std::mt19937 with words of 32 bits: that of libstdc++ has words of 64, and takes twice the time.
using MersenneTwister =
    std::mersenne_twister_engine<std::uint32_t, 32, 624, 397, 31, 0x9908B0DFu, 11, 0xFFFFFFFFu, 7,
                                 0x9D2C5680u, 15, 0xEFC60000u, 18, 1812433253u>;

class TorchStream {
 public:
  // Seeds as torch.manual_seed does: any 64-bit seed, also negative; only the low 32 bits matter.
  explicit TorchStream(std::int64_t seed);

  std::uint32_t next_u32() { return generator_(); }
  // Two outputs; the first one is the high word.
  std::uint64_t next_u64();
  // Advances the stream by `count` outputs.
  void skip(std::uint64_t count) { generator_.discard(count); }

  // torch.rand, float32: 24 bits, in [0, 1).
  float rand() { return static_cast<float>(next_u32() & 0xFFFFFFu) * 0x1p-24f; }
  // Tensor.uniform_(low, high): one fused multiply-add per value, rounded as in the AVX2 build.
  float uniform(double low, double high);
  // The 53 bits of two outputs, which Dropout, as a fraction of 2^53, compares with the probability.
  std::uint64_t next_fraction() { return next_u64() & ((std::uint64_t{1} << 53) - 1); }

 private:
  MersenneTwister generator_;
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
