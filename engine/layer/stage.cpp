#include "engine/layer/stage.h"

namespace headlight {
namespace {

constexpr StageSet needs(std::initializer_list<Stage> stages) {
  StageSet set = 0;
  for (Stage stage : stages)
    set |= stage_bit(stage);
  return set;
}

// In the order of computation: every stage comes after all stages it needs.
constexpr std::array<StageInfo, kStageCount> kTable = {{
    {Stage::Embeddings, "embeddings", "X", false, StageColumns::DIn, true, 0},
    {Stage::Queries, "queries", "Q", true, StageColumns::DKey, true, needs({Stage::Embeddings})},
    {Stage::Keys, "keys", "K", true, StageColumns::DKey, true, needs({Stage::Embeddings}), StageHeads::Keys,
     StageRows::Keys},
    {Stage::Values, "values", "V", true, StageColumns::DValue, true, needs({Stage::Embeddings}),
     StageHeads::Keys, StageRows::Keys},
    {Stage::RotatedQueries, "rotated_queries", "R Q", true, StageColumns::DKey, true,
     needs({Stage::Queries})},
    {Stage::RotatedKeys, "rotated_keys", "R K", true, StageColumns::DKey, true, needs({Stage::Keys}),
     StageHeads::Keys, StageRows::Keys},
    {Stage::Scores, "scores", "ω", true, StageColumns::Tokens, true,
     needs({Stage::Queries, Stage::Keys, Stage::RotatedQueries, Stage::RotatedKeys})},
    {Stage::Scaled, "scaled", "ω/√dₖ", true, StageColumns::Tokens, true, needs({Stage::Scores})},
    {Stage::Capped, "capped", "cap(ω)", true, StageColumns::Tokens, true, needs({Stage::Scaled})},
    {Stage::Biased, "biased", "ω + b", true, StageColumns::Tokens, true,
     needs({Stage::Scaled, Stage::Capped})},
    {Stage::Masked, "masked", "ω + M", true, StageColumns::Tokens, true,
     needs({Stage::Scaled, Stage::Capped, Stage::Biased})},
    {Stage::Weights, "weights", "α", true, StageColumns::Tokens, false, needs({Stage::Masked})},
    {Stage::Dropped, "dropped", "α ⊙ D", true, StageColumns::Tokens, false, needs({Stage::Weights})},
    {Stage::Context, "context", "Zₕ", true, StageColumns::DValue, true,
     needs({Stage::Dropped, Stage::Values})},
    {Stage::Concat, "concat", "Z", false, StageColumns::DConcat, true, needs({Stage::Context})},
    {Stage::Output, "output", "Y", false, StageColumns::DOut, true, needs({Stage::Concat})},
}};

constexpr bool each_stage_has_its_row() {
  for (std::size_t i = 0; i < kStageCount; ++i)
    if (kTable[i].stage != static_cast<Stage>(i) || kTable[i].name.empty()) return false;
  return true;
}
static_assert(each_stage_has_its_row());

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

std::optional<Parameter> parameter_of(Stage stage) {
  for (const Parameter parameter : kParameters)
    if (projected_stage(parameter) == stage) return parameter;
  return std::nullopt;
}

std::optional<Parameter> parameter_of(const Layer& layer, Stage stage) {
  const std::optional<Parameter> parameter = parameter_of(stage);
  return parameter && layer.uses(*parameter) ? parameter : std::nullopt;
}

StageSet with_dependents(StageSet changed) {
  for (const StageInfo& info : kTable)
    if (info.needs & changed) changed |= stage_bit(info.stage);
  return changed;
}

StageSet existing_stages(const Layer& layer) {
  const AttentionSettings& a = layer.attention;
  StageSet stages = kAllStages;
  const auto leave_out = [&](StageSet set) { stages &= ~set; };
  if (layer.embeddings.empty()) leave_out(stage_bit(Stage::Embeddings));
  if (a.position.kind != PositionKind::Rotary)
    leave_out(stage_bit(Stage::RotatedQueries) | stage_bit(Stage::RotatedKeys));
  if (a.softcap == 0) leave_out(stage_bit(Stage::Capped));
  if (a.position.kind != PositionKind::Alibi && layer.score_bias.empty()) leave_out(stage_bit(Stage::Biased));
  if (a.projection != Projection::Weights) return stages;
  leave_out(stage_bit(Stage::Queries) | stage_bit(Stage::Keys) | stage_bit(Stage::Scores) |
            stage_bit(Stage::Scaled) | stage_bit(Stage::Masked));
  if (layer.given.back().empty())
    leave_out(stage_bit(Stage::Values) | stage_bit(Stage::Context) | stage_bit(Stage::Concat) |
              stage_bit(Stage::Output));
  return stages;
}

bool stage_exists(const Layer& layer, Stage stage) {
  return (existing_stages(layer) & stage_bit(stage)) != 0;
}

std::vector<Stage> stages_in_use(const Layer& layer) {
  const StageSet existing = existing_stages(layer);
  std::vector<Stage> stages;
  for (const StageInfo& info : kTable)
    if ((existing & stage_bit(info.stage)) != 0) stages.push_back(info.stage);
  return stages;
}

std::string why_no_stage(const Layer& layer, Stage stage) {
  if (stage_exists(layer, stage)) return "";
  switch (stage) {
    case Stage::Embeddings:
      return "There are no embeddings";
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
      return "No rotary positions are set";
    case Stage::Capped:
      return "No softcap is set";
    case Stage::Biased:
      return "Nothing is added to the scores";
    case Stage::Values:
    case Stage::Context:
    case Stage::Concat:
    case Stage::Output:
      return "The weights are given without values";
    case Stage::Queries:
    case Stage::Keys:
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Masked:
    case Stage::Weights:
    case Stage::Dropped:
      break;
  }
  return "The weights are given, and nothing before them";
}

Stage stage_before(const Layer& layer, Stage stage) {
  auto at = static_cast<unsigned>(stage);
  const StageSet stages = existing_stages(layer);
  do
    --at;
  while ((stages & stage_bit(static_cast<Stage>(at))) == 0);
  return static_cast<Stage>(at);
}

Index stage_rows(const Layer& layer, Stage stage) {
  return stage_info(stage).rows == StageRows::Keys ? layer.key_count() : layer.token_count();
}

Index stage_columns(const Layer& layer, Stage stage) {
  switch (stage_info(stage).columns) {
    case StageColumns::DIn:
      return layer.d_in();
    case StageColumns::DKey:
      return layer.d_k();
    case StageColumns::DValue:
      return layer.d_v();
    case StageColumns::Tokens:
      return layer.key_count();
    case StageColumns::DConcat:
      return layer.concat_width();
    case StageColumns::DOut:
      return layer.d_out();
  }
  return 0;
}

Index stage_heads(const Layer& layer, Stage stage) {
  switch (stage_info(stage).heads) {
    case StageHeads::Queries:
      return layer.head_count();
    case StageHeads::Keys:
      return layer.kv_head_count();
    case StageHeads::None:
      break;
  }
  return 1;
}

Index stage_head(const Layer& layer, Stage stage, Index head) {
  switch (stage_info(stage).heads) {
    case StageHeads::Queries:
      return head;
    case StageHeads::Keys:
      return layer.kv_head_of(head);
    case StageHeads::None:
      break;
  }
  return 0;
}

const std::vector<std::string>& row_labels(const Layer& layer, Stage stage) {
  return stage_info(stage).rows == StageRows::Keys ? layer.key_labels() : layer.tokens;
}

bool address_exists(const Layer& layer, const CellAddress& cell) {
  const auto inside = [](Index at, Index count) { return at >= 0 && at < count; };
  return stage_exists(layer, cell.stage) && inside(cell.sequence, layer.sequence_count()) &&
         inside(cell.head, stage_heads(layer, cell.stage)) &&
         inside(cell.row, stage_rows(layer, cell.stage)) &&
         inside(cell.column, stage_columns(layer, cell.stage));
}

}  // namespace headlight
