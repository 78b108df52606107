// The session file (.headlight): a layer with title, notes and lesson. It is UTF-8 JSON or, if that would be
// large, a zip archive of the JSON and its arrays. FORMAT.md describes the format; "version" is 1.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/array_origin.h"
#include "engine/core/error.h"
#include "engine/layer/layer.h"
#include "engine/learning/goal.h"
#include "engine/learning/training_settings.h"
#include "engine/session/lesson.h"

namespace headlight {

struct OpenModel;

// A session whose file opens on another machine: an archive with all of its numbers and a copy of its report.
struct Bundle {
  bool with_model = false;       // and the files of its model
  std::filesystem::path report;  // the session file whose report (report_files.h) goes in; empty: none
  bool operator==(const Bundle&) const = default;
};

struct Session {
  std::string title;
  std::string notes;
  Layer layer;
  // The whole model whose shown layer is `layer` (engine/interpretation/open_model.h); null: a layer alone.
  std::shared_ptr<const OpenModel> work;
  std::optional<Lesson> lesson;
  // What is wanted of the layer, for its gradients; null: nothing. A goal that an edit made unfit is not
  // saved.
  std::shared_ptr<const Goal> goal;
  // How it is trained towards the goal. Settings that an edit made unfit are not saved.
  std::optional<TrainingSettings> training;
  // The files that arrays were read from. Entries may be out of date: saving compares them with the layer.
  std::vector<ArrayOrigin> origins;
  // Of a session that was opened from a bundle, which it is saved as again.
  std::optional<Bundle> bundle;
};

// The model of a session is not where the session says, or it is another one: name its folder anew.
class ModelNotFound : public Error {
 public:
  // name: of the model, as messages show it.
  ModelNotFound(const Error& error, std::string name) : Error(error), name_(std::move(name)) {}
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// The most bytes of JSON, also in an archive, that are saved and opened. validate() limits the numbers.
inline constexpr std::uint64_t kMostSessionText = std::uint64_t{1} << 30;
// A session with more numbers than this (about 3 MB of JSON) is saved as an archive.
inline constexpr Index kMostNumbersAsText = Index{1} << 18;

// Both throw Error with the place inside the file ("causal.headlight: weights.query") and how to mend it.
// load_session() detects the form by the first bytes. Array references ({"file": ...}) are resolved relative
// to `folder`, or the folder of `path`, and must stay inside its tree. `where` names the file in messages.
// `faults`: receives the errors of lesson steps that cannot be read; each is replaced by a step that shows
// its error (LessonStep::unread). Null: the first such error is thrown. `model`: the folder or file of the
// session's model, in place of the one that it names; ignored by a session without a model and by a bundle
// that holds its model. Throws ModelNotFound if the model is not there, or is not the one that the session
// was saved with: of another size, or other tensors. The model of a bundle is unpacked into the user's cache.
Session load_session(const std::filesystem::path& path, std::vector<Error>* faults = nullptr,
                     const std::filesystem::path& model = {});
Session parse_session(const std::string& text, const std::filesystem::path& folder, const std::string& where,
                      std::vector<Error>* faults = nullptr);

// The session as JSON. Drawn weights that were not edited are written as their recipe, everything else as
// numbers: the shortest digits that read back to the same bits. Throws Error if the layer is not valid, so
// that the result can be opened.
std::string session_text(const Session& session);

// Recovery: as Automatic, and of a bundle without the files of its model and its report.
enum class SessionForm { Automatic, Text, Archive, Recovery };

// Atomic: writes beside the file, flushes, then renames; on failure the old file is unchanged. A session that
// could not be opened again is refused first. Arrays that were read from files beside the session remain
// references if neither array nor file has changed, except in a bundle. Throws Error.
void save_session(const Session& session, const std::filesystem::path& path,
                  SessionForm form = SessionForm::Automatic);
// Saves the session as that bundle, whatever it was opened from.
void save_bundle(const Session& session, const std::filesystem::path& path, const Bundle& bundle);

// Whether a bundle has the files of the session's model.
enum class WithModel { Small, Always, Never };  // Small: if they have at most kMostSmallModel bytes
inline constexpr std::uint64_t kMostSmallModel = std::uint64_t{64} << 20;
// False for a session without a model. Throws Error if a file of the model cannot be read.
bool carries_model(const Session& session, WithModel with_model);
// The bytes of all files of the session's model. Precondition: it has one. Throws Error as above.
std::uint64_t model_bytes(const Session& session);

}  // namespace headlight
