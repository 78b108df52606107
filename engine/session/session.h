// The session file (.headlight): UTF-8 JSON that holds a model, its title and notes. The format is described
// in README.md; "version" is 1.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/model/model.h"
#include "engine/session/lesson.h"

namespace headlight {

struct Session {
  std::string title;
  std::string notes;
  Model model;
  std::optional<Lesson> lesson;
};

// Both throw Error with the place inside the file ("causal.headlight: weights.query") and how to mend it.
// Array references ({"file": ...}) are read relative to `folder` and may not leave its tree. `where` names
// the file in messages.
Session load_session(const std::filesystem::path& path);
Session parse_session(const std::string& text, const std::filesystem::path& folder, const std::string& where);

// Drawn weights that were not edited are written as their recipe, everything else as numbers: the shortest
// digits that read back to the same bits. Throws Error when the model is not valid: what is saved can be
// opened.
std::string session_text(const Session& session);

// Atomic: writes beside the file, flushes, then renames; on failure the old file is as it was. Throws Error.
void save_session(const Session& session, const std::filesystem::path& path);

}  // namespace headlight
