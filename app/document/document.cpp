#include "app/document/document.h"

#include <utility>

#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/model/tokenize.h"

namespace headlight {
namespace {

Labels labels_of(const Session& session) {
  return {session.model.tokens, session.title, session.notes};
}

// Commands that change shapes run as functions on a copy of the model.
struct Reshape {
  Model& model;
  void operator()(const InsertToken& c) const { insert_token(model, c.at, c.label, c.copy); }
  void operator()(const RemoveToken& c) const { remove_token(model, c.at); }
  void operator()(const MoveToken& c) const { move_token(model, c.from, c.to); }
  void operator()(const ReplaceTokens& c) const { replace_tokens(model, c.tokens, c.embeddings); }
  void operator()(const ChangeLines& c) const { change_lines(model, c.edit); }
  void operator()(const PasteGrowing& c) const { write_growing(model, c.input, c.row, c.column, c.values); }
  void operator()(const AddSequence&) const { add_sequence(model); }
  void operator()(const RemoveSequence& c) const { remove_sequence(model, c.at); }
  void operator()(const SetDIn& c) const { set_d_in(model, c.d_in); }
  void operator()(const SetDOut& c) const { set_d_out(model, c.d_out); }
  void operator()(const SetNumHeads& c) const { set_num_heads(model, c.num_heads); }
  void operator()(const SetProjection& c) const { set_projection(model, c.projection); }
  void operator()(const SetOutputProjection& c) const { set_output_projection(model, c.present); }
  void operator()(const SetQkvBias& c) const { set_qkv_bias(model, c.present); }
  void operator()(const DrawWeights& c) const { draw_weights(model, c.recipe); }
  void operator()(const FillParameter& c) const { fill_parameter(model, c.parameter, c.fill); }
};

// A command as the two changes that make it and take it back, against the session as it is now.
struct Planner {
  const Session& session;

  Step operator()(const SetCells& c) const {
    const Matrix& target = input_matrix(session.model, c.input);
    CellsEdit forward{c.input, c.row, c.column, c.values};
    CellsEdit backward = forward;
    // A block that does not fit is refused when the edit is carried out.
    const bool inside = c.row >= 0 && c.column >= 0 && c.row + c.values.rows() <= target.rows() &&
                        c.column + c.values.cols() <= target.cols();
    if (inside) backward.values = target.block(c.row, c.column, c.values.rows(), c.values.cols());
    Step result = step(std::move(forward), std::move(backward), c.gesture);
    result.backward.weights_edited = session.model.weights.edited;
    return result;
  }
  Step operator()(const SetAttention& c) const {
    return step(SettingsEdit{c.attention}, SettingsEdit{session.model.attention}, c.gesture);
  }
  Step operator()(const SetMask& c) const {
    return step(MaskEdit{c.mask, c.matrix}, MaskEdit{session.model.attention.mask, session.model.custom_mask},
                c.gesture);
  }
  Step operator()(const RenameToken& c) const {
    Labels labels = labels_of(session);
    if (c.at < 0 || c.at >= session.model.token_count())
      throw Error("there is no token " + std::to_string(c.at + 1), "tokens", "");
    labels.tokens[static_cast<std::size_t>(c.at)] = c.label;
    return relabel(std::move(labels));
  }
  Step operator()(const SetTitle& c) const {
    Labels labels = labels_of(session);
    labels.title = c.title;
    labels.notes = c.notes;
    return relabel(std::move(labels));
  }
  Step operator()(const ReplaceModel& c) const {
    return step(ModelEdit{c.model}, ModelEdit{std::make_shared<Model>(session.model)}, 0);
  }
  template <class Shape>
  Step operator()(const Shape& c) const {
    auto changed = std::make_shared<Model>(session.model);
    Reshape{*changed}(c);
    validate(*changed);
    return step(ModelEdit{std::move(changed)}, ModelEdit{std::make_shared<Model>(session.model)}, 0);
  }

 private:
  static Step step(Edit forward, Edit backward, std::uint64_t gesture) {
    return {{}, gesture, {std::move(forward), {}, {}}, {std::move(backward), {}, {}}};
  }
  Step relabel(Labels labels) const {
    return {{}, 0, {{}, std::move(labels), {}}, {{}, labels_of(session), {}}};
  }
};

}  // namespace

Document::Document(Session session, PassOn pass_on)
    : session_(std::move(session)), pass_on_(std::move(pass_on)) {
  validate(session_.model);
}

void apply_change(const Change& change, Session& session) {
  if (change.edit) apply_edit(*change.edit, session.model);
  if (change.weights_edited) session.model.weights.edited = *change.weights_edited;
  if (!change.labels) return;
  session.model.tokens = change.labels->tokens;
  session.title = change.labels->title;
  session.notes = change.labels->notes;
}

void Document::run(const Command& command) {
  Step step = std::visit(Planner{session_}, command);
  if (const auto* settings = step.forward.edit ? std::get_if<SettingsEdit>(&*step.forward.edit) : nullptr)
    check_size(session_.model, settings->attention);
  step.name = command_name(command);
  carry_out(step.forward);
  std::optional<Change> done;
  if (watch_) done = step.forward;
  history_.add(std::move(step));
  if (done) watch_(std::move(*done));
}

void Document::undo() {
  if (!can_undo()) return;
  const Change& change = history_.step_back();
  carry_out(change);
  if (watch_) watch_(change);
}

void Document::redo() {
  if (!can_redo()) return;
  const Change& change = history_.step_forward();
  carry_out(change);
  if (watch_) watch_(change);
}

void Document::carry_out(const Change& change) {
  apply_change(change, session_);
  ++revision_;
  // A change of labels reaches no stage, but the newest revision must still come back as shown.
  if (pass_on_)
    pass_on_(change.edit ? *change.edit : Edit(SettingsEdit{session_.model.attention}), revision_);
}

void Document::open(const std::filesystem::path& path) {
  // Before it is read: what is written meanwhile counts as newer.
  const std::optional<FileStamp> stamp = stamp_of(path);
  replace(load_session(path), path, stamp);
}

void Document::replace(Session session, std::optional<std::filesystem::path> path,
                       std::optional<FileStamp> stamp) {
  validate(session.model);
  // Copied first: where there is no memory for it nothing has changed yet.
  std::shared_ptr<const Model> passed_on;
  if (pass_on_) passed_on = std::make_shared<Model>(session.model);
  session_ = std::move(session);
  path_ = std::move(path);
  stamp_ = path_ && !stamp ? stamp_of(*path_) : stamp;
  history_.clear();
  ++revision_;
  if (pass_on_) pass_on_(ModelEdit{std::move(passed_on)}, revision_);
}

bool Document::file_changed() const {
  std::error_code unreadable;
  if (!path_) return false;
  return stamp_ ? changed_since(*path_, *stamp_) : std::filesystem::exists(*path_, unreadable);
}

void Document::save(const std::filesystem::path& path) {
  save_session(session_, path);
  path_ = path;
  stamp_ = stamp_of(path);
  history_.mark_saved();
}

}  // namespace headlight
