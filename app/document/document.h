// The open session and its history. The only place where the model changes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/document/command.h"
#include "app/document/history.h"
#include "app/document/model_edits.h"
#include "app/document/size_check.h"
#include "engine/attention/evaluator.h"
#include "engine/core/file_stamp.h"
#include "engine/session/session.h"

namespace headlight {

// Carries a change out. Throws Error when it does not fit, which never happens to one that the document has
// carried out on an equal session. Strong guarantee: whatever is thrown, nothing has changed.
void apply_change(const Change& change, Session& session);
// The same, with the step that takes it back. Numbers that are changed in the same cells again and again
// become one step, as when they are dragged.
Step apply_change_as_step(const Change& change, Session& session);

class Document {
 public:
  // `pass_on` receives every edit in order with its revision; it feeds the worker.
  using PassOn = std::function<void(const Edit&, std::uint64_t revision)>;
  // memory_budget: what T x T stages may take, in bytes.
  explicit Document(Session session, PassOn pass_on = {}, double memory_budget = default_memory_budget());

  const Model& model() const { return session_.model; }
  const Session& session() const { return session_; }
  std::uint64_t revision() const { return revision_; }  // grows with every change, undo and redo included
  std::uint64_t opening() const { return opening_; }    // grows with open() and replace() alone
  // That of the last change that put another model in the place of the whole one: other tokens, shapes,
  // weights, another layer or session. Numbers of an earlier revision are of other rows, columns and heads.
  std::uint64_t model_revision() const { return model_revision_; }
  void set_pass_on(PassOn pass_on) { pass_on_ = std::move(pass_on); }
  // `watch` is told every change once it is carried out, undo and redo included; nothing of open() and
  // replace().
  using Watch = std::function<void(Change)>;
  void set_watch(Watch watch) { watch_ = std::move(watch); }

  // Carries the command out, or throws and changes nothing, whatever is thrown: Error, what passing on
  // throws, and std::bad_alloc. Undo and redo likewise. What would need more memory than there is, is refused
  // unless it was so before and becomes no worse.
  // If a whole model is open, commands that edit it change edited_model() alone and throw nothing:
  // take_model_outcome() reports what does not fit.
  void run(const Command& command);
  // The open model with the edits that are no step yet, which list_model_edits() lists; null if none is open.
  const std::shared_ptr<const OpenModel>& edited_model() const { return model_edits_.edited(); }
  const std::vector<EditOpenModel>& list_model_edits() const { return model_edits_.list(); }
  std::optional<std::string> take_model_outcome() { return model_edits_.take_outcome(); }
  // Makes the edits a step; `layer` is the shown layer of edited_model(). Throws as run(). Precondition:
  // there are edits.
  void commit_model_edits(std::shared_ptr<const Model> layer);
  void discard_model_edits() { model_edits_.begin(session_.work); }
  // Records that the model's own changes of its shown layer are those of `work`: no step of its own, and the
  // revision stays. The edits are applied anew.
  void follow_model(std::shared_ptr<const OpenModel> work);
  // What keeps the model from being computed. A session that was opened may have such faults, so that it can
  // be mended.
  SizeFaults size_faults() const;

  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  std::string undo_name() const { return history_.undo_name(); }
  std::string redo_name() const { return history_.redo_name(); }
  void undo();
  void redo();

  // The file it came from or was last saved to; none for a lesson or a new session.
  const std::optional<std::filesystem::path>& path() const { return path_; }
  bool saved() const { return history_.at_saved_point(); }
  // Steps of undo or redo between this state and the saved one; 0 when it is saved.
  std::size_t unsaved_steps() const { return history_.steps_from_saved_point(); }
  // Both throw Error, and what passing on throws; open and replace leave the document as it was then.
  void open(const std::filesystem::path& path);
  // `stamp`: of the file when the session was read from it; as it is now when none is given. `steps`: that
  // lead to the session, and can be undone.
  void replace(Session session, std::optional<std::filesystem::path> path,
               std::optional<FileStamp> stamp = std::nullopt, std::vector<Step> steps = {});
  // The session that it began with is that of this file; `stamp`: as for replace().
  void came_from(const std::filesystem::path& path, const std::optional<FileStamp>& stamp);
  // What is open differs from its file, as after a recovery.
  void mark_changed() { history_.mark_changed(); }
  // Whether another program, or another window, has written the file since it was opened or saved here.
  // Throws nothing.
  bool file_changed() const;
  // The file as it was opened or saved here; none when there was none.
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  void save(const std::filesystem::path& path);

 private:
  void add_step(const Change& change, std::string name, std::uint64_t gesture);
  void check_size_after(const Edit& edit) const;
  // opposite: what takes the change back. Used up, and nothing has changed, where this throws.
  void carry_out(const Change& change, Change& opposite);

  Session session_;
  ModelEdits model_edits_;
  History history_;
  PassOn pass_on_;
  Watch watch_;
  std::optional<std::filesystem::path> path_;
  std::optional<FileStamp> stamp_;  // of the file, as it was opened or saved
  std::uint64_t revision_ = 1, model_revision_ = 1, opening_ = 1;
  double memory_budget_;
};

}  // namespace headlight
