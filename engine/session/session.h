// The session file (.headlight): a model, its title and notes. It is UTF-8 JSON or, where that would be
// large, a zip archive that holds this JSON and its arrays. The format is described in FORMAT.md; "version"
// is 1.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.h"
#include "engine/model/model.h"
#include "engine/references/array_origin.h"
#include "engine/session/lesson.h"

namespace headlight {

struct OpenModel;

struct Session {
  std::string title;
  std::string notes;
  Model model;
  // The whole model whose layer `model` is, and what is open of it (engine/interpretation/open_model.h);
  // null: the layer is alone.
  std::shared_ptr<const OpenModel> work;
  std::optional<Lesson> lesson;
  // The files that arrays of the model were read from. They may be out of date: saving compares.
  std::vector<ArrayOrigin> origins;
};

// How much may be saved and opened: so many bytes of JSON, the texts of an archive included, and of numbers
// what validate() lets pass.
inline constexpr std::uint64_t kMostSessionText = std::uint64_t{1} << 30;
// A session with more numbers than this, some three megabytes of JSON, is saved as an archive.
inline constexpr Index kMostNumbersAsText = Index{1} << 18;

// Both throw Error with the place inside the file ("causal.headlight: weights.query") and how to mend it.
// Which of the two forms a file has is told from its first bytes. Array references ({"file": ...}) are read
// relative to `folder` and may not leave its tree. `where` names the file in messages.
// `faults`: where the steps of a lesson that cannot be understood are told; what can be read is, and in their
// places steps that say what is wrong with them stand (LessonStep::unread). Null: the first one is thrown.
Session load_session(const std::filesystem::path& path, std::vector<Error>* faults = nullptr);
Session parse_session(const std::string& text, const std::filesystem::path& folder, const std::string& where,
                      std::vector<Error>* faults = nullptr);

// Drawn weights that were not edited are written as their recipe, everything else as numbers: the shortest
// digits that read back to the same bits. Throws Error when the model is not valid: what is saved can be
// opened.
std::string session_text(const Session& session);

enum class SessionForm { Automatic, Text, Archive };

// Atomic: writes beside the file, flushes, then renames; on failure the old file is as it was, and what could
// not be opened again is refused before it is touched. Arrays that were read from files beside the session,
// and that nobody has changed since, stay references to them. Throws Error.
void save_session(const Session& session, const std::filesystem::path& path,
                  SessionForm form = SessionForm::Automatic);

}  // namespace headlight
