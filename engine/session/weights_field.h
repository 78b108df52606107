// The "weights" object of a session file: a recipe to draw them, or their numbers, or both.
#pragma once

#include "engine/arrays/array_field.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/layer/layer.h"

namespace headlight {

// Precondition: the tokens, embeddings and attention of `layer` are read. Throws Error if the weights that
// the settings use are neither drawn nor given. With both a recipe and numbers, the numbers are the weights
// and the recipe determines where the dropout stream continues.
void read_weights(const Json& value, ArrayReader& arrays, Layer& layer);
// Writes the key and the object; nothing if there are no weights. Drawn weights without edits are written as
// their recipe, others as numbers, including those that the settings do not use.
void write_weights(JsonWriter& out, const Weights& weights, ArrayWriter& arrays);

}  // namespace headlight
