// The "weights" of a session file: a recipe to draw them, or their numbers, or both.
#pragma once

#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/model/model.h"
#include "engine/references/array_field.h"

namespace headlight {

// model: its tokens, embeddings and attention are already read. Throws Error when the weights that the
// settings use are neither drawn nor given. With both a recipe and numbers, the numbers are the weights
// and the recipe tells where the dropout stream goes on.
void read_weights(const Json& value, ArrayReader& arrays, Model& model);
// With its key, where there is anything to write: drawn weights that nobody edited as their recipe, others as
// numbers, those that the settings don't use as well.
void write_weights(JsonWriter& out, const Weights& weights, ArrayWriter& arrays);

}  // namespace headlight
