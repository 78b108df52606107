#include "engine/model/stage.h"

namespace headlight {
namespace {

constexpr StageSet needs(std::initializer_list<Stage> stages) {
  StageSet set = 0;
  for (Stage stage : stages)
    set |= stage_bit(stage);
  return set;
}

// In the order of computation: a stage stands behind everything it needs.
constexpr std::array<StageInfo, kStageCount> kTable = {{
    {Stage::Embeddings, "embeddings", "X", "input", false, StageColumns::DIn, true, 0},
    {Stage::Queries, "queries", "Q", "X W_query", true, StageColumns::DHead, true,
     needs({Stage::Embeddings})},
    {Stage::Keys, "keys", "K", "X W_key", true, StageColumns::DHead, true, needs({Stage::Embeddings})},
    {Stage::Values, "values", "V", "X W_value", true, StageColumns::DHead, true, needs({Stage::Embeddings})},
    {Stage::Scores, "scores", "ω", "Q Kᵀ", true, StageColumns::Tokens, true,
     needs({Stage::Queries, Stage::Keys})},
    {Stage::Scaled, "scaled", "ω/√dₖ", "Q Kᵀ / √dₖ", true, StageColumns::Tokens, true,
     needs({Stage::Scores})},
    {Stage::Masked, "masked", "ω + M", "−∞ where masked", true, StageColumns::Tokens, true,
     needs({Stage::Scaled})},
    {Stage::Weights, "weights", "α", "softmax(masked)", true, StageColumns::Tokens, false,
     needs({Stage::Masked})},
    {Stage::Dropped, "dropped", "α ⊙ D", "α × noise", true, StageColumns::Tokens, false,
     needs({Stage::Weights})},
    {Stage::Context, "context", "Zₕ", "dropped V", true, StageColumns::DHead, true,
     needs({Stage::Dropped, Stage::Values})},
    {Stage::Concat, "concat", "Z", "heads side by side", false, StageColumns::DOut, true,
     needs({Stage::Context})},
    {Stage::Output, "output", "Y", "Z Wₒ + bₒ", false, StageColumns::DOut, true, needs({Stage::Concat})},
}};

}  // namespace

const std::array<StageInfo, kStageCount>& stage_table() {
  return kTable;
}

const StageInfo& stage_info(Stage stage) {
  return kTable[static_cast<std::size_t>(stage)];
}

std::optional<Stage> stage_from_name(std::string_view name) {
  for (const StageInfo& info : kTable)
    if (info.name == name) return info.stage;
  return std::nullopt;
}

Stage projected_stage(Parameter parameter) {
  switch (parameter) {
    case Parameter::Query:
      return Stage::Queries;
    case Parameter::Key:
      return Stage::Keys;
    case Parameter::Value:
      return Stage::Values;
    case Parameter::Output:
      break;
  }
  return Stage::Output;
}

StageSet with_dependents(StageSet changed) {
  for (const StageInfo& info : kTable)
    if (info.needs & changed) changed |= stage_bit(info.stage);
  return changed;
}

Index stage_columns(const Model& model, Stage stage) {
  switch (stage_info(stage).columns) {
    case StageColumns::DIn:
      return model.d_in();
    case StageColumns::DHead:
      return model.d_k();
    case StageColumns::Tokens:
      return model.token_count();
    case StageColumns::DOut:
      return model.d_out();
  }
  return 0;
}

Index stage_heads(const Model& model, Stage stage) {
  return stage_info(stage).per_head ? model.head_count() : 1;
}

bool address_exists(const Model& model, const CellAddress& cell) {
  const auto inside = [](Index at, Index count) { return at >= 0 && at < count; };
  return inside(cell.sequence, model.sequence_count()) && inside(cell.head, stage_heads(model, cell.stage)) &&
         inside(cell.row, model.token_count()) && inside(cell.column, stage_columns(model, cell.stage));
}

}  // namespace headlight
