// The open session and its history. It is changed only here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/document/command.h"
#include "app/document/history.h"
#include "app/document/model_command.h"
#include "engine/attention/evaluator.h"
#include "engine/core/file_stamp.h"
#include "engine/session/session.h"

namespace headlight {

// Applies a change; one of a layer of a whole model changes the model too. Throws Error if it does not fit,
// which is impossible if the document applied it to an equal session before. Strong guarantee: on any
// exception the session is unchanged.
void apply_change(const Change& change, Session& session);
// apply_change(); returns the step that undoes it. Consecutive steps of the same cells merge, like those of a
// drag.
Step apply_change_as_step(const Change& change, Session& session);

class Document {
 public:
  // `pass_on` receives every edit in order with its revision; it feeds the worker.
  using EditSink = std::function<void(const Edit&, std::uint64_t revision)>;
  // memory_budget: limit for the T x T stages, in bytes.
  explicit Document(Session session, EditSink pass_on = {}, double memory_budget = default_memory_budget());

  const Layer& layer() const { return session_.layer; }
  const Session& session() const { return session_; }
  std::uint64_t revision() const { return revision_; }  // grows with every change, undo and redo included
  std::uint64_t opening() const { return opening_; }    // grows with open() and replace() only
  // The revision of the last change that replaced the model: other tokens, shapes, weights, another layer or
  // session. Numbers of earlier revisions belong to other rows, columns and heads.
  std::uint64_t layer_revision() const { return layer_revision_; }
  void set_edit_sink(EditSink pass_on) { edit_sink_ = std::move(pass_on); }
  // `watch` is called with every applied change, undo and redo included, but not for open() and replace().
  using Watch = std::function<void(Change)>;
  void set_change_listener(Watch watch) { watch_ = std::move(watch); }

  // Executes the command, or throws and changes nothing: Error, the exceptions of `pass_on`, std::bad_alloc.
  // Undo and redo likewise. A change that exceeds the memory budget is refused, unless the budget was
  // exceeded before and the excess does not grow. An edit of the layer of a whole model is refused while the
  // layer is still to be computed.
  void run(const Command& command);
  // Whether layer() is that of session().work, as it is where none is open. Otherwise it is an earlier one,
  // until TakeLayer brings the one that a pass has computed.
  bool has_layer() const { return has_layer_; }
  // Settings that need more memory than the budget. Sessions with such faults are opened, to be corrected.
  SizeFaults size_faults() const;

  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  std::string undo_name() const { return history_.undo_name(); }
  std::string redo_name() const { return history_.redo_name(); }
  void undo();
  void redo();
  // The step of the lesson, by its index, that the last undo or redo has gone to; none if it went to no other
  // step, and after any other change.
  std::optional<std::size_t> lesson_step() const { return lesson_step_; }
  // Whether the last change was an undo or a redo.
  bool went_through_history() const { return went_through_history_; }

  // The file that the session was opened from or last saved to; none for a lesson or a new session.
  const std::optional<std::filesystem::path>& path() const { return path_; }
  bool saved() const { return history_.at_saved_point(); }
  // Steps of undo or redo between this state and the saved one; 0 when it is saved.
  std::size_t unsaved_steps() const { return history_.steps_from_saved_point(); }
  // Both throw Error and the exceptions of `pass_on`; the document is then unchanged.
  void open(const std::filesystem::path& path);
  // `stamp`: that of the file when the session was read; none: the present one. `steps`: those that lead to
  // the session and can be undone.
  void replace(Session session, std::optional<std::filesystem::path> path,
               std::optional<FileStamp> stamp = std::nullopt, std::vector<Step> steps = {});
  // Sets the file of the session that was passed to the constructor; `stamp`: as for replace().
  void set_file(const std::filesystem::path& path, const std::optional<FileStamp>& stamp);
  // A copy of the session for those that follow its changes from here on. It is shared with the worker's as
  // long as there was no change since the opening, and is released by the next change or take_unchanged().
  std::shared_ptr<const Session> unchanged();
  std::shared_ptr<const Session> take_unchanged();
  // Marks the session as different from its file, for example after a recovery.
  void mark_changed() { history_.mark_changed(); }
  // Whether another process has written the file since it was opened or saved here. Throws nothing.
  bool file_changed() const;
  // The stamp of the file when it was opened or saved here; none without a file.
  const std::optional<FileStamp>& stamp() const { return stamp_; }
  void save(const std::filesystem::path& path);

 private:
  void take_layer(const TakeLayer& computed);
  void give_up_layer();
  // `step`: without the change that undoes it.
  void add_step(const Change& change, Step step);
  void check_size_after(const Edit& edit) const;
  // Tells the listener of a change that was carried out, with the state of the open model.
  void tell(Change change) const;
  // `opposite`: undoes `change`; consumed if this throws, in which case nothing has changed.
  void carry_out(const Change& change, Change& opposite);

  Session session_;
  std::shared_ptr<const Session> unchanged_;  // equal to session_, or null
  History history_;
  EditSink edit_sink_;
  Watch watch_;
  std::optional<std::filesystem::path> path_;
  std::optional<FileStamp> stamp_;  // of the file, as it was opened or saved
  std::optional<std::size_t> lesson_step_;
  bool went_through_history_ = false, has_layer_ = true;
  std::uint64_t revision_ = 1, layer_revision_ = 1, opening_ = 1;
  double memory_budget_;
};

}  // namespace headlight
