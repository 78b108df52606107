// Reads and writes the "attention" object of a session file, which attention_members.h declares.
#pragma once

#include <string>

#include "engine/architecture/layer_setting.h"
#include "engine/arrays/array_field.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/layer/layer.h"

namespace headlight {

// Fills model.attention and a custom mask. Precondition: the embeddings are read. Throws Error.
void read_attention(const Json& value, ArrayReader& arrays, Layer& layer);
void write_attention(JsonWriter& out, const Layer& layer, ArrayWriter& arrays);

// The settings of a layer of a whole model for that many queries and keys, which are members of an object as
// "attention" has them; null says that there is none. Writes one of them as such an object.
OwnSettings read_layer_settings(const Json& value, const std::string& place, Index tokens, Index keys,
                                ArrayReader& arrays);
void write_layer_setting(JsonWriter& out, LayerSetting setting, const Layer& value, const std::string& place,
                         ArrayWriter& arrays);

}  // namespace headlight
