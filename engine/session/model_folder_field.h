// The "model_folder" object of a session file: a reference to a whole model with its text, shown layer and
// changes. The format is described in FORMAT.md.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/arrays/array_field.h"
#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"

namespace headlight {

// Opens the model; a relative path is resolved against `folder`. Throws Error that names the place if the
// folder does not exist, its size or header differs from the stored one, or Network refuses it.
std::shared_ptr<const OpenModel> read_model_folder(const Json& value, const std::filesystem::path& folder,
                                                   ArrayReader& arrays);
// `folder`: that of the written file; none: unknown. Keeps a relative path if `folder` is unknown or the path
// still leads to the model from there; writes an absolute path otherwise.
void write_model_folder(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays,
                        const std::optional<std::filesystem::path>& folder);

// Computes the model up to the shown layer and returns that layer. Throws Error.
Layer shown_layer(const OpenModel& work);

// Adds a list of changes in JSON, "[{...}, ...]", with the members that those of a session have, to `work`.
// folder: of the files that its arrays name. where: the list's name in messages; "" for none. Throws Error.
void read_change_list(const std::string& text, const std::filesystem::path& folder, const std::string& where,
                      OpenModel& work);

}  // namespace headlight
