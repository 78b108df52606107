// The "attention" object of a session file, and the members of it that lesson steps share.
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

// The readers throw Error that names the place.
Scale scale_value(const Json& value, const std::string& place);
void write_scale(JsonWriter& out, const Scale& scale);
std::vector<Index> head_list(const Json& value, const std::string& place, Index head_count);
std::optional<std::int64_t> dropout_seed_value(const Json& value, const std::string& place);

}  // namespace headlight
