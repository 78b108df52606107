// Repeated draws of dropout and their mean, which the factor 1/(1-p) makes converge to the undropped weights.
#pragma once

#include <vector>

#include "engine/layer/layer.h"

namespace headlight {

// The dropout multipliers of draw number `draw`: a Tq x Tk matrix at index sequence * H + head; empty if
// dropout is not active. Draw 0 is the layer's own. Draw n has the seed that n times "draw again" sets: seed
// + n, or n if the layer has no seed. Masked cells draw too.
std::vector<Matrix> dropout_noise(const Layer& layer, Index draw);
// Writes the draw into existing matrices: allocating large ones costs more than drawing them.
void draw_dropout_noise(const Layer& layer, Index draw, std::vector<Matrix>& all);

// Counts how often each cell was kept in draws 0 to n - 1. Valid for one layer's dropout settings and shapes;
// the owner, the evaluator, clears it when they change.
class DropoutCounts {
 public:
  void clear();
  Index draws() const { return draws_; }
  // Continues to `draws` draws: at least one more, at most `max_cells` drawn cells more. Restarts if `draws`
  // is less than the current count.
  void draw_to(const Layer& layer, Index draws, Index max_cells = Index{1} << 22);
  // The mean multiplier of each cell: Tq x Tk. Precondition: draws() > 0 and dropout is active.
  Matrix mean_noise(const Layer& layer, Index sequence, Index head) const;

 private:
  std::vector<Matrix> kept_;  // counts, exact in float32 up to 16 million draws
  Index draws_ = 0;
};

}  // namespace headlight
