// The "given" object of a session file: queries, keys and values as they are.
#pragma once

#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/model/model.h"
#include "engine/references/array_field.h"

namespace headlight {

// Stands beside "projection": "none"; one of the three that is absent is X itself, or that of the key tokens.
// Or beside "projection": "weights": weights of attention and, where they are there, values. attention: the
// object of that name; what it does not say of heads and widths is read off the arrays. Throws Error.
void read_given(const Json& value, const Json& attention, ArrayReader& arrays, Model& model);
// With its key, where they are given. One that is X itself is left out.
void write_given(JsonWriter& out, const Model& model, ArrayWriter& arrays);

}  // namespace headlight
