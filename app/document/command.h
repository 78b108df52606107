// The commands that panels send to the document: one type per kind of change.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/document/change.h"
#include "engine/interpretation/open_model_edit.h"
#include "engine/layer/edit.h"
#include "engine/layer/lines.h"
#include "engine/layer/reshape.h"

namespace headlight {

struct SetCells {  // a block of one input; commands with the same `gesture` (a mouse drag) are one undo step
  InputId input;
  Index row = 0, column = 0;
  Matrix values;
  std::uint64_t gesture = 0;  // 0: a separate step
};
struct SetBlocks {  // blocks of several inputs at once: a step of training, or back along one
  std::vector<CellsEdit> blocks;
  std::string name;                          // of the step
  std::optional<TrainingSettings> training;  // new settings, step count included; nullopt: unchanged
  std::uint64_t gesture = 0;
};
struct SetTraining {  // how the model is trained
  TrainingSettings training;
};
struct SetGoal {  // what is wanted of the model; null: nothing
  std::shared_ptr<const Goal> goal;
  std::uint64_t gesture = 0;  // one stroke of painting is one undo step
};
struct SetAttention {  // settings that change no shape: scale, mask, normalization, dropout
  AttentionSettings attention;
  std::uint64_t gesture = 0;
};
struct SetMask {  // a preset or a painted mask: the kind, and the matrix of a custom one
  MaskKind mask = MaskKind::Custom;
  Matrix matrix;              // Tq x Tk of 0 and 1 when the kind is Custom
  std::uint64_t gesture = 0;  // one stroke of painting is one undo step
};
// A mask by rules, and the further allowed pairs, including painted ones.
struct SetMaskRules {
  MaskRules rules;
  PairArray allowed;
  std::uint64_t gesture = 0;
};
struct SetScoreBias {  // the bias added to the scores; empty: none
  PairArray bias;
};
struct RenameToken {
  Index at = 0;
  std::string label;
  bool of_keys = false;  // in key_tokens, for cross-attention
};
struct InsertToken {
  Index at = 0;
  std::string label;
  bool copy = false;
};
struct RemoveToken {
  Index at = 0;
};
struct MoveToken {
  Index from = 0, to = 0;
};
struct ReplaceTokens {  // replaces all sequences by one sequence of these tokens
  std::vector<std::string> tokens;
  Matrix embeddings;  // one row per token
};
struct ChangeLines {  // inserts, removes and moves tokens or dimensions in every matrix that has them
  LinesEdit edit;
};
struct PasteGrowing {  // a block that may extend beyond the matrix, which then grows
  InputId input;
  Index row = 0, column = 0;
  Matrix values;
  std::vector<std::string> tokens =
      {};  // of embeddings or of those of keys: one for each row; empty: as they are
};
struct AddSequence {};
struct RemoveSequence {
  Index at = 0;
};
struct SetDIn {
  Index d_in = 1;
};
struct SetDOut {
  Index d_out = 1;
  std::uint64_t gesture = 0;  // one drag of a slider is one undo step
};
struct SetNumHeads {
  Index num_heads = 1;
  std::uint64_t gesture = 0;
};
struct SetNumKvHeads {
  Index num_kv_heads = 1;
};
struct SetHeadWidths {  // 0: d_out / num_heads
  Index d_k = 0, d_v = 0;
};
struct SetProjection {
  Projection projection = Projection::None;
};
struct SetOutputProjection {
  bool present = false;
};
struct SetQkvBias {
  bool present = false;
};
struct DrawWeights {
  WeightRecipe recipe;
};
struct FillParameter {
  Parameter parameter = Parameter::Query;
  Fill fill = Fill::Zeros;
};
// Who replaces the state: the reader; the lesson, for which the session stays saved; or the lesson as it sets
// up one of its steps. Undo does not go behind that, unless it goes back to another step with it.
enum class ReplacedBy { Reader, Lesson, LessonStep };
struct ReplaceLayer {  // a whole state in one step: that of a lesson's step, or the opened lesson
  std::shared_ptr<const Layer> layer;
  std::string name;  // of the step
  ReplacedBy by = ReplacedBy::Reader;
  std::optional<TrainingChange> training = {};  // how it is trained from then on; none: as it was
  std::optional<GoalChange> goal = {};          // none: that of the session, which moves with its tokens
  std::optional<LessonMove> move = {};
  // Of arrays that a reader brings: where they are no layer of the whole model that is open, it is left.
  bool may_leave_model = false;
};
struct LeaveModel {};  // the shown layer stands alone, without its whole model
// Replaces the state of the open whole model and its shown layer.
struct SetOpenModel {
  std::shared_ptr<const OpenModel> work;
  std::shared_ptr<const Layer> layer;
  std::string name;  // of the step
  std::uint64_t gesture = 0;
};
struct EditOpenModel {
  OpenModelEdit edit;
  std::string name;  // of the step
  std::uint64_t gesture = 0;
};
// The shown layer of the open model, once it is computed: not a step, and nothing to undo. Nothing if another
// state of the model is open by now, or its layer is there.
struct TakeLayer {
  std::shared_ptr<const OpenModel> work;
  std::shared_ptr<const Layer> layer;
};
// Undoes the steps since the last one whose layer was there: that of the newest cannot be computed.
struct GiveUpLayer {};
struct SetTitle {
  std::string title;
  std::string notes;
};

using Command =
    std::variant<SetCells, SetBlocks, SetGoal, SetTraining, SetAttention, SetMask, SetMaskRules, SetScoreBias,
                 RenameToken, InsertToken, RemoveToken, MoveToken, ReplaceTokens, ChangeLines, PasteGrowing,
                 AddSequence, RemoveSequence, SetDIn, SetDOut, SetNumHeads, SetNumKvHeads, SetHeadWidths,
                 SetProjection, SetOutputProjection, SetQkvBias, DrawWeights, FillParameter, ReplaceLayer,
                 LeaveModel, SetOpenModel, EditOpenModel, TakeLayer, GiveUpLayer, SetTitle>;

// The name of the step in the tooltip of the undo button: "Edit W_query", "Insert token".
std::string command_name(const Command& command);
// The name of a step of which only the change is known: more general than command_name().
std::string change_name(const Change& change);

}  // namespace headlight
