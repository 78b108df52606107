// The random stream of torch.manual_seed on the CPU, bit for bit (PyTorch 1.13, float32, AVX2 build):
// MT19937, then rand, uniform_, nn.Linear's default initialisation and Dropout as PyTorch draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/matrix.h"
#include "engine/random/mersenne_block.h"

namespace headlight {

class TorchStream {
 public:
  // As torch.manual_seed: any 64-bit seed, negative ones too; only the low 32 bits matter.
  explicit TorchStream(std::int64_t seed);

  std::uint32_t next_u32() {
    if (next_ == kMersenneBlock) refill();
    return outputs_[next_++];
  }
  // Two outputs, the first one high.
  std::uint64_t next_u64();
  // The next outputs that lie side by side: at least 1 of them, at most `most`, which is at least 1. They
  // stay until more is drawn.
  std::span<const std::uint32_t> next_run(std::size_t most);
  // As drawing `count` outputs and using none.
  void skip(std::uint64_t count);

  // torch.rand, float32: 24 bits, in [0, 1).
  float rand() { return rand_of(next_u32()); }
  static float rand_of(std::uint32_t output) { return static_cast<float>(output & 0xFFFFFFu) * 0x1p-24f; }
  // Tensor.uniform_(low, high): one fused multiply-add per value, as the AVX2 build rounds it.
  float uniform(double low, double high);
  // The float64 uniform in [0, 1) that Dropout compares with: 53 bits, two outputs.
  double rand_double();

 private:
  void refill();

  MersenneWords state_, outputs_;
  std::size_t next_ = kMersenneBlock;  // the first of outputs_ that is not drawn yet
};

// matrix = torch.rand(rows, cols), row by row.
void fill_rand(TorchStream& stream, Matrix& matrix);

// The default weight of nn.Linear(d_in, d_out). weight: d_out x d_in, resized by the caller.
void fill_linear_weight(TorchStream& stream, Matrix& weight);

// The default bias of nn.Linear(d_in, d_out). bias: 1 x d_out.
void fill_linear_bias(TorchStream& stream, Index d_in, Matrix& bias);

// The multipliers of Dropout(probability) in training, `count` values in index order: 0 or 1/(1-p).
// probability in [0, 1]. p == 0 gives ones and p == 1 zeros; neither draws from the stream.
void draw_dropout_noise(TorchStream& stream, double probability, float* noise, std::size_t count);

// The generator that PyTorch's wheels with MKL draw dropout from on Intel's processors: MCG31m1, the
// multiplicative congruential generator x -> 1132489760 x mod (2^31 - 1) of L'Ecuyer 1999, which one output
// of torch's own stream seeds for each call of Dropout. It makes the masks that pytorch/pytorch#15714, #84030
// and #94388 show.
class MklStream {
 public:
  explicit MklStream(std::uint32_t seed);
  // In (0, 1), one for each value, in index order.
  double next_uniform();

 private:
  std::uint64_t state_;
};

// The same multipliers, drawn from such a stream; of several matrices of one call one after the other.
void draw_dropout_noise(MklStream& stream, double probability, float* noise, std::size_t count);

// The seed of embeddings that are drawn for tokens, beside weights that are drawn with `seed`: the two would
// else be the same numbers. torch.manual_seed(seed + 2**31), of which only the low 32 bits matter.
std::int64_t embeddings_seed(std::int64_t seed);

}  // namespace headlight
