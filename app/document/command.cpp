#include "app/document/command.h"

namespace headlight {
namespace {

std::string input_label(const InputId& input) {
  std::string name = parameter_name(input.parameter);
  switch (input.kind) {
    case InputKind::Embeddings:
      return "embedding";
    case InputKind::Weight:
      return "W_" + name;
    case InputKind::Bias:
      return name + " bias";
    case InputKind::KeyEmbeddings:
      return "key embedding";
    case InputKind::Mask:
      return "mask";
    case InputKind::GivenWeights:
      return "weights";
    case InputKind::ScoreBias:
      return "bias of the scores";
    case InputKind::Given:
      return name;
  }
  return "";
}

std::string lines_name(const LinesEdit& edit) {
  const char* const changes[] = {"Insert", "Duplicate", "Remove", "Move"};
  const char* const nouns[] = {"token", "key token", "dimension", "output dimension"};
  const std::string noun = nouns[static_cast<int>(edit.kind)];
  const std::string change = changes[static_cast<int>(edit.change)];
  if (edit.count == 1) return change + " " + noun;
  return change + " " + std::to_string(edit.count) + " " + noun + "s";
}

struct Namer {
  std::string operator()(const SetCells& c) const { return "Edit " + input_label(c.input); }
  std::string operator()(const SetBlocks& c) const { return c.name; }
  std::string operator()(const SetGoal& c) const {
    if (!c.goal) return "Remove goal";
    return c.gesture != 0 ? "Paint goal" : "Set goal";
  }
  std::string operator()(const SetTraining&) const { return "Change training"; }
  std::string operator()(const SetAttention&) const { return "Change settings"; }
  std::string operator()(const SetMask& c) const { return c.gesture != 0 ? "Paint mask" : "Change mask"; }
  std::string operator()(const SetMaskRules& c) const {
    return c.gesture != 0 ? "Paint mask" : "Change mask";
  }
  std::string operator()(const SetScoreBias&) const { return "Change bias of the scores"; }
  std::string operator()(const SetNumKvHeads&) const { return "Change key and value heads"; }
  std::string operator()(const SetHeadWidths&) const { return "Change width of heads"; }
  std::string operator()(const RenameToken&) const { return "Rename token"; }
  std::string operator()(const InsertToken&) const { return "Insert token"; }
  std::string operator()(const RemoveToken&) const { return "Remove token"; }
  std::string operator()(const MoveToken&) const { return "Move token"; }
  std::string operator()(const ReplaceTokens&) const { return "Tokens from text"; }
  std::string operator()(const ChangeLines& c) const { return lines_name(c.edit); }
  std::string operator()(const PasteGrowing& c) const { return "Paste into " + input_label(c.input); }
  std::string operator()(const AddSequence&) const { return "Add sequence"; }
  std::string operator()(const RemoveSequence&) const { return "Remove sequence"; }
  std::string operator()(const SetDIn&) const { return "Change d_in"; }
  std::string operator()(const SetDOut&) const { return "Change d_out"; }
  std::string operator()(const SetNumHeads&) const { return "Change heads"; }
  std::string operator()(const SetProjection&) const { return "Change projection"; }
  std::string operator()(const SetOutputProjection&) const { return "Change output projection"; }
  std::string operator()(const SetQkvBias&) const { return "Change bias"; }
  std::string operator()(const DrawWeights&) const { return "Draw weights"; }
  std::string operator()(const FillParameter& c) const {
    return std::string("Fill W_") + parameter_name(c.parameter);
  }
  std::string operator()(const ReplaceLayer& c) const { return c.name; }
  std::string operator()(const LeaveModel&) const { return "Layer alone"; }
  std::string operator()(const SetOpenModel& c) const { return c.name; }
  std::string operator()(const EditOpenModel& c) const { return c.name; }
  std::string operator()(const TakeLayer&) const { return "Computed layer"; }
  std::string operator()(const GiveUpLayer&) const { return "Undo what cannot be computed"; }
  std::string operator()(const SetTitle&) const { return "Change title"; }
};

}  // namespace

std::string command_name(const Command& command) {
  return std::visit(Namer{}, command);
}

std::string change_name(const Change& change) {
  if (change.goal && !change.edit) return "Set goal";
  if (change.work && !change.edit) return *change.work ? "Edit the model" : "Layer alone";
  if (!change.edit) return change.training ? "Change training" : "Change names";
  if (const auto* cells = std::get_if<CellsEdit>(&*change.edit)) return "Edit " + input_label(cells->input);
  if (std::holds_alternative<BlocksEdit>(*change.edit)) return "Train";
  if (std::holds_alternative<MaskEdit>(*change.edit)) return "Change mask";
  return std::holds_alternative<SettingsEdit>(*change.edit) ? "Change settings" : "Change inputs";
}

}  // namespace headlight
