#include "app/document/document.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/interpretation/layer_edit.h"
#include "engine/layer/tokenize.h"
#include "engine/learning/moved_goal.h"

namespace headlight {
namespace {

Labels labels_of(const Session& session) {
  return {session.layer.tokens, session.layer.key_tokens, session.title, session.notes};
}

// Commands that change shapes run as functions on a copy of the model.
struct Reshape {
  Layer& layer;
  void operator()(const InsertToken& c) const { insert_token(layer, c.at, c.label, c.copy); }
  void operator()(const RemoveToken& c) const { remove_token(layer, c.at); }
  void operator()(const MoveToken& c) const { move_token(layer, c.from, c.to); }
  void operator()(const ReplaceTokens& c) const { replace_tokens(layer, c.tokens, c.embeddings); }
  void operator()(const ChangeLines& c) const { change_lines(layer, c.edit); }
  void operator()(const PasteGrowing& c) const {
    write_growing(layer, c.input, c.row, c.column, c.values);
    std::vector<std::string>& tokens =
        c.input.kind == InputKind::KeyEmbeddings ? layer.key_tokens : layer.tokens;
    std::copy(c.tokens.begin(), c.tokens.end(), tokens.begin() + c.row);
  }
  void operator()(const AddSequence&) const { add_sequence(layer); }
  void operator()(const RemoveSequence& c) const { remove_sequence(layer, c.at); }
  void operator()(const SetDIn& c) const { set_d_in(layer, c.d_in); }
  void operator()(const SetDOut& c) const { set_d_out(layer, c.d_out); }
  void operator()(const SetNumHeads& c) const { set_num_heads(layer, c.num_heads); }
  void operator()(const SetNumKvHeads& c) const { set_num_kv_heads(layer, c.num_kv_heads); }
  void operator()(const SetHeadWidths& c) const { set_head_widths(layer, c.d_k, c.d_v); }
  void operator()(const SetScoreBias& c) const { layer.score_bias = c.bias; }
  void operator()(const SetProjection& c) const { set_projection(layer, c.projection); }
  void operator()(const SetOutputProjection& c) const { set_output_projection(layer, c.present); }
  void operator()(const SetQkvBias& c) const { set_qkv_bias(layer, c.present); }
  void operator()(const DrawWeights& c) const { draw_weights(layer, c.recipe); }
  void operator()(const FillParameter& c) const { fill_parameter(layer, c.parameter, c.fill); }
};

// Converts a command to a change of the present session.
struct Planner {
  const Session& session;

  Change operator()(const SetCells& c) const { return edited(CellsEdit{c.input, c.row, c.column, c.values}); }
  Change operator()(const SetBlocks& c) const {
    Change change = edited(BlocksEdit{c.blocks});
    if (c.training) change.training = TrainingChange{c.training};
    return change;
  }
  Change operator()(const SetTraining& c) const {
    validate_training(session.layer, c.training);
    Change change;
    change.training = TrainingChange{c.training};
    return change;
  }
  Change operator()(const SetGoal& c) const {
    if (c.goal) validate_goal(session.layer, *c.goal);
    Change change;
    change.goal = GoalChange{c.goal};
    return change;
  }
  Change operator()(const SetAttention& c) const { return edited(SettingsEdit{c.attention}); }
  Change operator()(const SetMask& c) const {
    MaskEdit edit = mask_of(session.layer);
    edit.mask = c.mask;
    edit.custom_mask = c.matrix;
    return edited(std::move(edit));
  }
  Change operator()(const SetMaskRules& c) const {
    return edited(MaskEdit{MaskKind::Rules, session.layer.custom_mask, c.rules, c.allowed});
  }
  Change operator()(const RenameToken& c) const {
    Labels labels = labels_of(session);
    std::vector<std::string>& tokens = c.of_keys ? labels.key_tokens : labels.tokens;
    if (c.at < 0 || c.at >= static_cast<Index>(tokens.size()))
      throw Error("there is no token " + std::to_string(c.at + 1), "tokens",
                  "they are 1 to " + std::to_string(tokens.size()));
    tokens[static_cast<std::size_t>(c.at)] = c.label;
    return {{}, std::move(labels), {}};
  }
  Change operator()(const SetTitle& c) const {
    Labels labels = labels_of(session);
    labels.title = c.title;
    labels.notes = c.notes;
    return {{}, std::move(labels), {}};
  }
  Change operator()(const ReplaceLayer& c) const {
    Change change = replaced(c.layer);
    change.training = c.training;
    if (c.goal) change.goal = c.goal;
    if (c.may_leave_model && session.work) change.work = model_with(c.layer);
    return change;
  }
  Change operator()(const LeaveModel&) const {
    Change change;
    change.work = nullptr;
    return change;
  }
  Change operator()(const SetOpenModel& c) const {
    Change change = replaced(c.layer);
    change.work = c.work;
    return change;
  }
  Change operator()(const EditOpenModel& c) const {
    if (!session.work) throw Error("no whole model is open", c.name, "open the folder of a model first");
    auto work = std::make_shared<OpenModel>(*session.work);
    apply_open_model_edit(c.edit, *work);
    Change change;
    change.work = std::move(work);
    return change;
  }
  // The model stays as it is: the layer is of it.
  Change operator()(const TakeLayer& c) const {
    Change change = replaced(c.layer);
    change.work = c.work;
    return change;
  }
  Change operator()(const GiveUpLayer&) const { return {}; }
  template <class Shape>
  Change operator()(const Shape& c) const {
    auto changed = std::make_shared<Layer>(session.layer);
    Reshape{*changed}(c);
    validate(*changed);
    return replaced(std::move(changed));
  }

 private:
  // The goal moves with the tokens, or goes with what it was about.
  Change replaced(std::shared_ptr<const Layer> layer) const {
    std::optional<GoalChange> goal;
    if (session.goal && target_fits(session.layer, *session.goal)) {
      std::optional<Goal> moved = moved_goal(session.layer, *session.goal, *layer);
      if (!moved || !(*moved == *session.goal))
        goal = GoalChange{moved ? std::make_shared<const Goal>(*std::move(moved)) : nullptr};
    }
    Change change = edited(LayerEdit{std::move(layer)});
    change.goal = std::move(goal);
    return change;
  }
  static Change edited(Edit edit) { return {std::move(edit), {}, {}}; }
  // The open model with this as its shown layer; null if it is no layer of it.
  std::shared_ptr<const OpenModel> model_with(std::shared_ptr<const Layer> layer) const {
    try {
      return std::make_shared<const OpenModel>(
          with_layer_edit(*session.work, LayerEdit{std::move(layer)}, session.layer));
    } catch (const Error&) {
      return nullptr;
    }
  }
};

// Converts an edit to the one that undoes it.
struct Opposite {
  const Layer& layer;

  Edit operator()(const CellsEdit& edit) const { return back(edit); }
  Edit operator()(const BlocksEdit& edit) const {
    BlocksEdit before;
    for (const CellsEdit& block : edit.blocks)
      before.blocks.push_back(back(block));
    return before;
  }
  Edit operator()(const SettingsEdit&) const { return SettingsEdit{layer.attention}; }
  Edit operator()(const MaskEdit&) const { return mask_of(layer); }
  Edit operator()(const LayerEdit&) const { return LayerEdit{std::make_shared<Layer>(layer)}; }

 private:
  CellsEdit back(const CellsEdit& edit) const {
    const Matrix& target = input_matrix(layer, edit.input);
    CellsEdit back = edit;
    // A block that does not fit is refused when the edit is applied.
    const bool inside = edit.row >= 0 && edit.column >= 0 && edit.row + edit.values.rows() <= target.rows() &&
                        edit.column + edit.values.cols() <= target.cols();
    if (inside) back.values = target.block(edit.row, edit.column, edit.values.rows(), edit.values.cols());
    return back;
  }
};

// Edits of weights: the edit that undoes one leads back to the same model, which needs no second copy of
// them.
bool edits_weights_alone(const Edit& edit) {
  const auto of_weights = [](const CellsEdit& cells) {
    return cells.input.kind == InputKind::Weight || cells.input.kind == InputKind::Bias;
  };
  if (const auto* cells = std::get_if<CellsEdit>(&edit)) return of_weights(*cells);
  const auto* several = std::get_if<BlocksEdit>(&edit);
  return several && std::all_of(several->blocks.begin(), several->blocks.end(), of_weights);
}

// The state of the open model after the change; null: none is open then.
std::shared_ptr<const OpenModel> model_after(const Change& change, const Session& session) {
  if (change.work) return *change.work;
  if (!session.work || !change.edit) return session.work;
  return std::make_shared<const OpenModel>(with_layer_edit(*session.work, *change.edit, session.layer));
}

// Whether the shown layer of `b` is computed from the same as that of `a`; null: a layer by itself.
bool same_layer_source(const std::shared_ptr<const OpenModel>& a, const std::shared_ptr<const OpenModel>& b) {
  return a == b || (a && b && a->layer == b->layer && is_state_of(state_of(*a), *b));
}

// The change that undoes `change`. Precondition: `change` is not applied yet. `has_layer`: see Document; a
// layer that is still to be computed is computed after the undo.
Change opposite_of(const Change& change, const Session& session, bool has_layer) {
  Change back;
  const bool another_layer = change.work && !same_layer_source(session.work, *change.work);
  if (change.edit && (has_layer || !change.work)) {
    back.edit = std::visit(Opposite{session.layer}, *change.edit);
    if (std::holds_alternative<CellsEdit>(*change.edit) || std::holds_alternative<BlocksEdit>(*change.edit))
      back.weights_edited = session.layer.weights.edited;
  }
  if (!change.edit && another_layer && has_layer) back.edit = Opposite{session.layer}(LayerEdit{});
  if (change.labels) back.labels = labels_of(session);
  const bool edits_layer = session.work && change.edit && !edits_weights_alone(*change.edit);
  if (change.work || edits_layer) back.work = session.work;
  // Another layer, once it is computed, moves the goal or drops it.
  if (change.goal || (another_layer && session.goal)) back.goal = GoalChange{session.goal};
  if (change.training) back.training = TrainingChange{session.training};
  return back;
}

void write_back(const CellsEdit& cells, Layer& layer) noexcept {
  input_matrix(layer, cells.input).block(cells.row, cells.column, cells.values.rows(), cells.values.cols()) =
      cells.values;
}

// Undoes a change that was just applied. Consumes `opposite`; cannot throw, because everything is moved.
// work: the open model before the change.
void take_back(Change& opposite, std::shared_ptr<const OpenModel> work, Session& session) noexcept {
  Layer& layer = session.layer;
  session.work = std::move(work);
  if (opposite.edit) {
    if (const auto* cells = std::get_if<CellsEdit>(&*opposite.edit)) {
      write_back(*cells, layer);
    } else if (const auto* several = std::get_if<BlocksEdit>(&*opposite.edit)) {
      for (const CellsEdit& block : several->blocks)
        write_back(block, layer);
    } else if (auto* settings = std::get_if<SettingsEdit>(&*opposite.edit)) {
      layer.attention = std::move(settings->attention);
    } else if (auto* mask = std::get_if<MaskEdit>(&*opposite.edit)) {
      layer.attention.mask = mask->mask;
      layer.custom_mask = std::move(mask->custom_mask);
      layer.attention.rules = std::move(mask->rules);
      layer.allowed = std::move(mask->allowed);
    } else {
      // The layer was created by Opposite and is not shared.
      layer = std::move(const_cast<Layer&>(*std::get<LayerEdit>(*opposite.edit).layer));
    }
  }
  if (opposite.weights_edited) layer.weights.edited = *opposite.weights_edited;
  if (opposite.goal) session.goal = std::move(opposite.goal->goal);
  if (opposite.training) session.training = std::move(opposite.training->training);
  if (!opposite.labels) return;
  layer.tokens = std::move(opposite.labels->tokens);
  layer.key_tokens = std::move(opposite.labels->key_tokens);
  session.title = std::move(opposite.labels->title);
  session.notes = std::move(opposite.labels->notes);
}

// The gesture of a command; 0 for kinds that have none.
std::uint64_t gesture_of(const Command& command) {
  if (const auto* cells = std::get_if<SetCells>(&command)) return cells->gesture;
  if (const auto* blocks = std::get_if<SetBlocks>(&command)) return blocks->gesture;
  if (const auto* goal = std::get_if<SetGoal>(&command)) return goal->gesture;
  if (const auto* settings = std::get_if<SetAttention>(&command)) return settings->gesture;
  if (const auto* mask = std::get_if<SetMask>(&command)) return mask->gesture;
  if (const auto* rules = std::get_if<SetMaskRules>(&command)) return rules->gesture;
  if (const auto* width = std::get_if<SetDOut>(&command)) return width->gesture;
  if (const auto* heads = std::get_if<SetNumHeads>(&command)) return heads->gesture;
  if (const auto* open = std::get_if<SetOpenModel>(&command)) return open->gesture;
  if (const auto* edit = std::get_if<EditOpenModel>(&command)) return edit->gesture;
  return 0;
}

}  // namespace

Document::Document(Session session, EditSink pass_on, double memory_budget)
    : session_(std::move(session)), edit_sink_(std::move(pass_on)), memory_budget_(memory_budget) {
  validate(session_.layer);
}

void apply_change(const Change& change, Session& session) {
  std::optional<Labels> labels = change.labels;
  std::shared_ptr<const OpenModel> work = model_after(change, session);
  if (change.edit) apply_edit(*change.edit, session.layer);
  if (change.weights_edited) session.layer.weights.edited = *change.weights_edited;
  session.work = std::move(work);
  if (change.goal) session.goal = change.goal->goal;
  if (change.training) session.training = change.training->training;
  if (!labels) return;
  session.layer.tokens = std::move(labels->tokens);
  session.layer.key_tokens = std::move(labels->key_tokens);
  session.title = std::move(labels->title);
  session.notes = std::move(labels->notes);
}

Step apply_change_as_step(const Change& change, Session& session) {
  constexpr std::uint64_t kOfCells = 1;
  Step step;
  step.name = change_name(change);
  if (change.edit && std::holds_alternative<CellsEdit>(*change.edit)) step.gesture = kOfCells;
  step.change = opposite_of(change, session, true);
  apply_change(change, session);
  return step;
}

SizeFaults Document::size_faults() const {
  return headlight::size_faults(session_.layer, session_.layer.attention, memory_budget_);
}

void Document::run(const Command& command) {
  if (const auto* computed = std::get_if<TakeLayer>(&command)) return take_layer(*computed);
  if (std::holds_alternative<GiveUpLayer>(command)) return give_up_layer();
  const std::optional<EditOpenModel> edit =
      session_.work ? open_model_edit(command, *session_.work) : std::nullopt;
  const Change change = edit ? Planner{session_}(*edit) : std::visit(Planner{session_}, command);
  if (edit && **change.work == *session_.work) return;
  if (!has_layer_ && change.edit && !std::holds_alternative<SetOpenModel>(command))
    throw Error("the layer of the model is still being computed", command_name(command),
                "do it again in a moment");
  const auto* const whole = std::get_if<ReplaceLayer>(&command);
  const ReplacedBy by = whole ? whole->by : ReplacedBy::Reader;
  const auto move = whole ? whole->move : std::nullopt;
  add_step(change, {command_name(command),
                    gesture_of(command),
                    {},
                    by != ReplacedBy::Reader || (edit && is_of_view(*edit)),
                    by == ReplacedBy::LessonStep && !move,
                    move});
}

void Document::take_layer(const TakeLayer& computed) {
  if (has_layer_ || computed.work != session_.work) return;
  const Change change = Planner{session_}(computed);
  Change opposite = opposite_of(change, session_, true);
  carry_out(change, opposite);
  tell(change);
}

void Document::give_up_layer() {
  while (!has_layer_ && can_undo())
    undo();
}

void Document::add_step(const Change& change, Step step) {
  step.change = opposite_of(change, session_, has_layer_);
  history_.make_room();
  carry_out(change, step.change);
  history_.add(std::move(step));
  lesson_step_.reset();
  went_through_history_ = false;
  tell(change);
}

void Document::tell(Change change) const {
  if (!watch_) return;
  if (session_.work && change.edit) change.work = session_.work;
  watch_(std::move(change));
}

void Document::undo() {
  if (!can_undo()) return;
  Change forth = opposite_of(history_.back(), session_, has_layer_);
  const Change change = history_.back();
  carry_out(change, forth);
  const auto move = history_.step_back(std::move(forth));
  lesson_step_ = move ? std::optional(move->from) : std::nullopt;
  went_through_history_ = true;
  tell(change);
}

void Document::redo() {
  if (!can_redo()) return;
  Change back = opposite_of(history_.forth(), session_, has_layer_);
  const Change change = history_.forth();
  carry_out(change, back);
  const auto move = history_.step_forward(std::move(back));
  lesson_step_ = move ? std::optional(move->to) : std::nullopt;
  went_through_history_ = true;
  tell(change);
}

void Document::check_size_after(const Edit& edit) const {
  const auto* settings = std::get_if<SettingsEdit>(&edit);
  const auto* whole = std::get_if<LayerEdit>(&edit);
  const auto* mask = std::get_if<MaskEdit>(&edit);
  if (!settings && !whole && !mask) return;
  const Layer& layer = whole ? *whole->layer : session_.layer;
  AttentionSettings after = settings ? settings->attention : layer.attention;
  if (mask) after.mask = mask->mask;
  refuse_worse(size_faults(), headlight::size_faults(layer, after, memory_budget_));
}

void Document::carry_out(const Change& change, Change& opposite) {
  if (change.edit) check_size_after(*change.edit);
  const std::shared_ptr<const OpenModel> work = session_.work;
  apply_change(change, session_);
  try {
    // A change of labels affects no stage, but the worker must still report the newest revision as computed.
    if (edit_sink_)
      edit_sink_(change.edit ? *change.edit : Edit(SettingsEdit{session_.layer.attention}), revision_ + 1);
  } catch (...) {
    take_back(opposite, work, session_);
    throw;
  }
  ++revision_;
  unchanged_.reset();
  has_layer_ = change.edit || !session_.work || (has_layer_ && same_layer_source(work, session_.work));
  if (change.edit && std::holds_alternative<LayerEdit>(*change.edit)) layer_revision_ = revision_;
}

void Document::open(const std::filesystem::path& path) {
  // Before reading, so that a write in the meantime counts as newer.
  const std::optional<FileStamp> stamp = stamp_of(path);
  replace(load_session(path), path, stamp);
}

void Document::replace(Session session, std::optional<std::filesystem::path> path,
                       std::optional<FileStamp> stamp, std::vector<Step> steps) {
  validate(session.layer);
  if (path && !stamp) stamp = stamp_of(*path);
  // A recovered session was read from another file than the one whose report belongs to it.
  if (session.bundle && path) session.bundle->report = *path;
  History history;
  for (Step& step : steps)
    history.add(std::move(step));
  auto unchanged = std::make_shared<const Session>(session);
  // Last call that can fail.
  if (edit_sink_) edit_sink_(LayerEdit{{unchanged, &unchanged->layer}}, revision_ + 1);
  unchanged_ = std::move(unchanged);
  session_ = std::move(session);
  has_layer_ = true;
  stamp_ = path ? stamp : std::nullopt;
  path_ = std::move(path);
  history_ = std::move(history);
  lesson_step_.reset();
  went_through_history_ = false;
  layer_revision_ = ++revision_;
  ++opening_;
}

std::shared_ptr<const Session> Document::unchanged() {
  if (!unchanged_) unchanged_ = std::make_shared<const Session>(session_);
  return unchanged_;
}

std::shared_ptr<const Session> Document::take_unchanged() {
  unchanged();
  return std::exchange(unchanged_, nullptr);
}

void Document::set_file(const std::filesystem::path& path, const std::optional<FileStamp>& stamp) {
  path_ = path;
  stamp_ = stamp ? stamp : stamp_of(path);
}

bool Document::file_changed() const {
  std::error_code unreadable;
  if (!path_) return false;
  return stamp_ ? changed_since(*path_, *stamp_) : std::filesystem::exists(*path_, unreadable);
}

void Document::save(const std::filesystem::path& path) {
  save_session(session_, path);
  if (session_.bundle) session_.bundle->report = path;
  path_ = path;
  stamp_ = stamp_of(path);
  history_.mark_saved();
}

}  // namespace headlight
