// Changes to a model that alter shapes: sequences, widths, heads and projections. For single tokens and
// dimensions see lines.h. Each function leaves a valid model valid, or throws Error and leaves it unchanged.
#pragma once

#include <string>

#include "engine/model/model.h"

namespace headlight {

void add_sequence(Model& model);  // a copy of the last sequence
void remove_sequence(Model& model, Index at);

// Change widths. Drawn weights that were not edited are drawn again in the new shape, as in the notebook;
// edited ones are cropped or padded with zeros.
void set_d_in(Model& model, Index d_in);
void set_d_out(Model& model, Index d_out);
void set_num_heads(Model& model, Index num_heads);
// Switching to Given stores the current queries, keys and values as editable matrices. Switching away from
// Given or Weights discards what was given.
void set_projection(Model& model, Projection projection);
// The number of heads of keys and values, each for the same number of heads of queries; and widths of heads,
// 0: d_out / num_heads. Only for the linear projection; in others they follow from the matrices.
void set_num_kv_heads(Model& model, Index num_kv_heads);
void set_head_widths(Model& model, Index d_k, Index d_v);
void set_output_projection(Model& model, bool present);
void set_qkv_bias(Model& model, bool present);

// Draws all weights that the settings use in the order of the recipe; parameters that it does not name come
// last. The layout follows the recipe: InOut for Rand, OutIn for Linear. Rand draws no biases: they are zero.
void draw_weights(Model& model, const WeightRecipe& recipe);

enum class Fill { Zeros, Identity };
void fill_parameter(Model& model, Parameter parameter, Fill fill);

// The number of 32-bit outputs that the recipe's draws consumed: where the dropout stream continues.
std::uint64_t drawn_value_count(const Model& model);

}  // namespace headlight
