// One step of an optimizer, in float32, as torch.optim.SGD, Adam and AdamW of PyTorch 1.13 compute it.
#pragma once

#include <array>

#include "engine/layer/layer.h"

namespace headlight {

enum class OptimizerKind { Sgd, Adam, AdamW };

// Sgd has momentum (Polyak 1964); Adam: Kingma and Ba 2015, arXiv 1412.6980; AdamW has decoupled decay
// (Loshchilov and Hutter 2019, arXiv 1711.05101) of every number.
struct OptimizerSettings {
  OptimizerKind optimizer = OptimizerKind::Sgd;
  double momentum = 0;                         // used by Sgd only; finite, 0 or more
  std::array<double, 2> betas = {0.9, 0.999};  // used by Adam and AdamW; in [0, 1)
  double epsilon = 1e-8;                       // used by Adam and AdamW; finite, above 0
  double decay = 0.01;                         // used by AdamW only; finite, 0 or more
  bool operator==(const OptimizerSettings&) const = default;
};

// How many numbers an optimizer stores for each that it moves: `mean`, or `mean` and `square`.
Index stored_per_number(const OptimizerSettings& settings);

//   Sgd:    p = p - rate g; with momentum:  m = momentum m + g;  p = p - rate m
//   Adam:   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//           p = p - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
//   AdamW:  p = p (1 - rate decay), then as Adam
class OptimizerStep {
 public:
  // step: t, from 1 on.
  OptimizerStep(const OptimizerSettings& settings, double rate, Index step);

  struct Numbers {
    Index count = 0;
    const float* gradient = nullptr;                               // g
    float *numbers = nullptr, *mean = nullptr, *square = nullptr;  // p, m, v: the last two if stored
  };
  // Moves the numbers, and what is stored for them, which is 0 before the first step.
  void move(const Numbers& at) const;

 private:
  using Piece = Eigen::Map<Eigen::ArrayXf>;
  void move_by_adam(const Numbers& at, Piece& numbers, Piece& mean) const;

  bool sgd_, stores_mean_;
  float rate_, momentum_, beta1_, beta2_, rest1_, rest2_, kept_, unbiased_rate_, unbiased_root_, epsilon_;
};

}  // namespace headlight
