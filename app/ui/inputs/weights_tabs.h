// The trainable parameters: a tab for each that the model uses, its numbers, and how they are drawn anew. A
// mask of one's own has a tab beside them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/grid/matrix_grid.h"
#include "app/ui/kit/widgets.h"

namespace headlight {

constexpr Index kLargestDimension = 4096;  // that the steppers go to

// One matrix of the model: "query", "query_bias", "mask" for the probe; "W_query", "b_query", "mask" on
// screen.
struct ParameterTab {
  InputId input;
  std::string id, label;
};
// A tab for each matrix that the model uses: queries, keys and values of the sequence where they are given,
// weights of a head that are given, matrices, biases, what is added to the scores of a head, a mask.
std::vector<ParameterTab> parameter_tabs(const Model& model, Index sequence, Index head = 0);

enum class InitChoice { Rand, Linear, Zeros, Identity };

struct WeightsTabsState {
  float words_px = 0;            // height of the layout in words, when it was last drawn
  std::string chosen = "query";  // id of the tab
  // Matrices, then biases, by Parameter; the mask; Q, K, V given; weights given; the bias of the scores.
  std::array<MatrixGridState, 14> grids;
  TextFieldState d_out, heads, seed_field;
  InitChoice init = InitChoice::Rand;
  std::int64_t seed = 123;
  // The recipe that `init` and `seed` were last taken from: another one (undo, an opened file) is taken over.
  std::optional<WeightRecipe> followed;
};

// "torch.rand, seed 123", "nn.Linear, seed 789, edited", "given as numbers".
std::string recipe_text(const Weights& weights);

// The height of the chosen parameter's grid with nothing scrolled; 0 when there are no weights.
float weights_grid_height(const UiContext& ui, const WeightsTabsState& state);

// The grid of the chosen parameter; null when there are no weights.
MatrixGridState* shown_weights_grid(const UiContext& ui, WeightsTabsState& state);

// Draws the whole section, its grid no higher than `max_grid_height_px`; `brief` without the layout in words,
// which the tabs tell as well.
void weights_tabs(UiContext& ui, WeightsTabsState& state, float max_grid_height_px, bool brief);

}  // namespace headlight
