// Many draws of dropout, and their mean: the reason for the factor 1/(1-p), which makes it converge to the
// weights without dropout.
#pragma once

#include <vector>

#include "engine/model/model.h"

namespace headlight {

// The multipliers of draw number `draw`, Tq x Tk for each sequence * H + head; none while dropout is not
// active. Draw 0 is the model's own. Draw n has the seed that n times "draw again" leads to: seed + n, and n
// when the model has no seed. Forbidden cells draw too.
std::vector<Matrix> dropout_noise(const Model& model, Index draw);
// The same into the matrices of an earlier draw: fresh memory for large ones costs more than drawing them.
void draw_dropout_noise(const Model& model, Index draw, std::vector<Matrix>& all);

// How often each cell was kept in the draws 0 to n - 1. Key: the dropout settings and shapes of the model it
// was counted for; its owner, the evaluator, clears it when they change.
class KeptCounts {
 public:
  void clear();
  Index draws() const { return draws_; }
  // Goes on to `draws` draws, at least by one and at most by what `max_cells` drawn cells allow. With fewer
  // than were counted before it starts anew.
  void draw_to(const Model& model, Index draws, Index max_cells = Index{1} << 22);
  // The mean multiplier of each cell: Tq x Tk. Precondition: draws() > 0 and dropout is active.
  Matrix mean_noise(const Model& model, Index sequence, Index head) const;

 private:
  std::vector<Matrix> kept_;  // whole numbers, exact in float32 up to 16 million draws
  Index draws_ = 0;
};

}  // namespace headlight
