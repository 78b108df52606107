// The "model_folder" object of a session file: a whole model by reference, and what is open of it. The format
// is described in FORMAT.md.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/references/array_field.h"

namespace headlight {

// folder: what a relative path begins at. Opens the model. Throws Error that names the place: when the folder
// is not there, is another one than it was by its size or header, and for what Network refuses.
std::shared_ptr<const OpenModel> read_model_folder(const Json& value, const std::filesystem::path& folder,
                                                   ArrayReader& arrays);
// folder: of the file that is written; none: the one that the work was read from. A relative path stays where
// it still leads to the model.
void write_model_folder(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays,
                        const std::optional<std::filesystem::path>& folder);

// The layer that is shown, computed. Throws Error.
Model shown_layer(const OpenModel& work);

}  // namespace headlight
