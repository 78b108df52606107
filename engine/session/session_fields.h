// Reads and writes the JSON of a session file. Its objects are in attention_field.h, given_field.h,
// weights_field.h, model_folder_field.h and lesson_field.h, and those of a goal and of training here.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/arrays/array_field.h"
#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/session/carried_model.h"
#include "engine/session/session.h"

namespace headlight {

// Throws Error that names the place. `faults`, `model`: see load_session().
Session read_session(const Json& document, ArrayReader& arrays, std::vector<Error>* faults,
                     const std::filesystem::path& model = {});
// Precondition: the session is valid. `folder`: that of the written file, if it is known. `bundle`: what the
// file is a bundle of, or null. `carried`: the files of the model in the archive; empty: none.
void write_session(JsonWriter& out, const Session& session, ArrayWriter& arrays,
                   const std::optional<std::filesystem::path>& folder, const Bundle* bundle = nullptr,
                   const std::vector<CarriedFile>& carried = {});

}  // namespace headlight
