// The "given" object of a session file: queries, keys and values, or weights, as numbers.
#pragma once

#include "engine/arrays/array_field.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/layer/layer.h"

namespace headlight {

// With "projection": "none": queries, keys and values; an absent one is X, or the embeddings of the key
// tokens. With "projection": "weights": the attention weights (H x Tq x Tk) and, optionally, values.
// `attention` is the object of that name; numbers of heads and widths that it lacks follow from the arrays.
// Throws Error.
void read_given(const Json& value, const Json& attention, ArrayReader& arrays, Layer& layer);
// Writes the key and the object; nothing for other projections. Omits arrays that equal X.
void write_given(JsonWriter& out, const Layer& layer, ArrayWriter& arrays);

}  // namespace headlight
