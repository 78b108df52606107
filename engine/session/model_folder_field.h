// The "model_folder" object of a session file: a reference to a whole model with its text, shown layer and
// changes. The format is described in FORMAT.md.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/arrays/array_field.h"
#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/session/carried_model.h"

namespace headlight {

// Opens the model: `chosen`, if it is not empty; that in the archive of `arrays`, if the object lists its
// files; else the folder or file that it names, where a relative path is resolved against `folder`. Throws
// ModelNotFound if it does not exist, cannot be opened, or its size or header differs from the stored one;
// Error that names the place for everything else.
std::shared_ptr<const OpenModel> read_model_folder(const Json& value, const std::filesystem::path& folder,
                                                   ArrayReader& arrays,
                                                   const std::filesystem::path& chosen = {});

struct ModelFolderForm {
  // That of the written file; none: unknown. The model's path stays relative if this is unknown or the path
  // still leads to the model from there; else it is written as an absolute one.
  std::optional<std::filesystem::path> folder;
  bool portable = false;                // the numbers of an image go in, not the path of its file
  std::vector<CarriedFile> files = {};  // of the model, in the archive; the path is then the model's name
};
void write_model_folder(JsonWriter& out, const OpenModel& work, ArrayWriter& arrays,
                        const ModelFolderForm& form);

// Computes the model up to the shown layer and returns that layer. Throws Error.
Layer shown_layer(const OpenModel& work);

// Adds a list of changes in JSON, "[{...}, ...]", with the members that those of a session have, to `work`.
// folder: of the files that its arrays name. where: the list's name in messages; "" for none. Throws Error.
void read_change_list(const std::string& text, const std::filesystem::path& folder, const std::string& where,
                      OpenModel& work);

}  // namespace headlight
