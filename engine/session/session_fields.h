// All that stands in the text of a session file, read and written. Each object has a file of its own:
// attention_field.h, given_field.h, weights_field.h, lesson_field.h.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/core/error.h"
#include "engine/json/json_document.h"
#include "engine/json/json_writer.h"
#include "engine/references/array_field.h"
#include "engine/session/session.h"

namespace headlight {

// Throws Error that names the place. `faults` is that of load_session().
Session read_session(const Json& document, ArrayReader& arrays, std::vector<Error>* faults);
// session: a valid one. folder: of the file that is written, if it is known.
void write_session(JsonWriter& out, const Session& session, ArrayWriter& arrays,
                   const std::optional<std::filesystem::path>& folder);

}  // namespace headlight
