// The "given" object of a session file: queries, keys and values as they are.
#pragma once

#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/model/model.h"
#include "engine/session/array_field.h"

namespace headlight {

// Stands beside "projection": "none"; one of the three that is absent is X itself. has_d_out: the file names
// d_out; else it is as wide as the queries. Throws Error.
void read_given(const Json& value, bool has_d_out, ArrayReader& arrays, Model& model);
// With its key, where they are given. One that is X itself is left out.
void write_given(JsonWriter& out, const Model& model, ArrayWriter& arrays);

}  // namespace headlight
