// Changes to a layer that alter shapes: sequences, widths, heads and projections. For single tokens and
// dimensions see lines.h. Each function leaves a valid layer valid, or throws Error and leaves it unchanged.
#pragma once

#include <string>

#include "engine/layer/layer.h"

namespace headlight {

void add_sequence(Layer& layer);  // a copy of the last sequence
void remove_sequence(Layer& layer, Index at);

// Change widths. Drawn weights that were not edited are drawn again in the new shape, as in the notebook;
// edited ones are cropped or padded with zeros.
void set_d_in(Layer& layer, Index d_in);
void set_d_out(Layer& layer, Index d_out);
void set_num_heads(Layer& layer, Index num_heads);
// Switching to Given stores the current queries, keys and values as editable matrices. Switching away from
// Given or Weights discards what was given.
void set_projection(Layer& layer, Projection projection);
// The number of heads of keys and values, each for the same number of heads of queries; and widths of heads,
// 0: d_out / num_heads. Only for the linear projection; in others they follow from the matrices.
void set_num_kv_heads(Layer& layer, Index num_kv_heads);
void set_head_widths(Layer& layer, Index d_k, Index d_v);
void set_output_projection(Layer& layer, bool present);
void set_qkv_bias(Layer& layer, bool present);

// Draws all weights that the settings use in the order of the recipe; parameters that it does not name come
// last. The layout follows the recipe: InOut for Rand, OutIn for Linear. Rand draws no biases: they are zero.
void draw_weights(Layer& layer, const WeightRecipe& recipe);

enum class Fill { Zeros, Identity };
void fill_parameter(Layer& layer, Parameter parameter, Fill fill);

// The number of 32-bit outputs that the recipe's draws consumed: where the dropout stream continues.
std::uint64_t drawn_value_count(const Layer& layer);

}  // namespace headlight
