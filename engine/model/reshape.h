// Changes to a model that alter shapes: sequences come and go, widths change, heads and projections switch.
// Single tokens and dimensions come, go and move in lines.h.
// Each function leaves a valid model valid, or throws Error and leaves it as it was.
#pragma once

#include <string>

#include "engine/model/model.h"

namespace headlight {

void add_sequence(Model& model);  // a copy of the last sequence
void remove_sequence(Model& model, Index at);

// New dimensions. Untouched drawn weights are drawn again in the new shape, as the notebook would; edited
// ones keep what fits and get zeros elsewhere.
void set_d_in(Model& model, Index d_in);
void set_d_out(Model& model, Index d_out);
void set_num_heads(Model& model, Index num_heads);
// Given: queries, keys and values as they are now, from where they can be edited. What was given is gone when
// the projection is another one again.
void set_projection(Model& model, Projection projection);
// Heads of keys and values, each for as many heads of queries; and widths of heads of their own, 0: d_out /
// num_heads. Only with the linear projection: elsewhere they are what the matrices are.
void set_num_kv_heads(Model& model, Index num_kv_heads);
void set_head_widths(Model& model, Index d_k, Index d_v);
void set_output_projection(Model& model, bool present);
void set_qkv_bias(Model& model, bool present);

// Draws all weights that the settings use, in the order of the recipe; what it does not name, last. The
// layout follows the recipe: InOut for Rand, OutIn for Linear. Rand draws no biases: they are zero.
void draw_weights(Model& model, const WeightRecipe& recipe);

enum class Fill { Zeros, Identity };
void fill_parameter(Model& model, Parameter parameter, Fill fill);

// How many 32-bit outputs the recipe's draws took: where the dropout stream goes on.
std::uint64_t drawn_value_count(const Model& model);

}  // namespace headlight
