// An intervention among the changes of a model: {"place": "head", "layer": 3, "head": 2, "how": "zero"}. The
// format is described in FORMAT.md.
#pragma once

#include <string>
#include <vector>

#include "engine/arrays/array_field.h"
#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"
#include "engine/network/intervention.h"
#include "engine/network/network.h"

namespace headlight {

// Its members beside "place", "layer" and "on".
const std::vector<std::string_view>& intervention_members();

// Texts are read with the network's tokenizer, or are lists of ids. Throws Error for members that do not go
// together, for numbers that are not finite, and for what Network::encode and Network::require_ids reject;
// not for what depends on the length of the text (range_of).
Intervention read_intervention(const JsonFields& fields, const std::string& place, const Network& network,
                               ArrayReader& arrays);

// Writes the members but "layer" and "on". place: of the change.
void write_intervention(JsonWriter& out, const Intervention& intervention, const std::string& place,
                        ArrayWriter& arrays);

}  // namespace headlight
