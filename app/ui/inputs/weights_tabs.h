// The parameters: a tab for each matrix that the layer uses, with its numbers and their initialization. A
// custom mask has a tab as well.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/inputs/matrix_grid.h"
#include "app/ui/widgets/widgets.h"

namespace headlight {

constexpr Index kLargestDimension = 4096;  // limit of the steppers

// One matrix of the layer. `id` is for the probe, as in "query", "query_bias", "mask"; `label` is shown, as
// in "W_query", "b_query", "mask".
struct ParameterTab {
  InputId input;
  std::string id, label;
};
// A tab for each matrix that the layer uses: given queries, keys and values of the sequence, given weights of
// a head, weight matrices, biases, the score bias of a head, a mask.
std::vector<ParameterTab> parameter_tabs(const Layer& layer, Index sequence, Index head = 0);

enum class InitChoice { Rand, Linear, Zeros, Identity };

struct WeightsTabsState {
  float words_px = 0;            // height of the layout's description when last drawn
  std::string chosen = "query";  // id of the tab
  // Matrices, then biases, by Parameter; the mask; given Q, K, V; given weights; the score bias.
  std::array<MatrixGridState, 14> grids;
  TextFieldState d_out, heads, seed_field;
  InitChoice init = InitChoice::Rand;
  std::int64_t seed = 123;
  // The recipe that `init` and `seed` were last read from: when the layer has another one (undo, an opened
  // file), they are read again.
  std::optional<WeightRecipe> followed;
};

// "torch.rand, seed 123", "nn.Linear, seed 789, edited", "given as numbers".
std::string recipe_text(const Weights& weights);

// The height of the chosen parameter's grid without scrolling; 0 if there are no weights.
float weights_grid_height(const UiContext& ui, const WeightsTabsState& state);

// The grid of the chosen parameter; null if there are no weights.
MatrixGridState* shown_weights_grid(const UiContext& ui, WeightsTabsState& state);

// Draws the section with a grid at most `max_grid_height_px` high; `brief` without the description of the
// layout, which the tabs' tooltips contain as well.
void weights_tabs(UiContext& ui, WeightsTabsState& state, float max_grid_height_px, bool brief);

// The controls of the widths and of drawing, for a menu: the section has them only where the text of a lesson
// names them. In the place of more than three tabs, while one is read of more than two, it has a list.
void more_of_weights(UiContext& ui, WeightsTabsState& state);
// Whether there are any: a mask, given weights and a bias of the scores have none.
bool has_more_of_weights(const UiContext& ui, const WeightsTabsState& state);

}  // namespace headlight
