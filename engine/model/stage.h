// The stages of one attention layer: their names, shapes and what each is computed from. The dependency
// table stands here and nowhere else.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/model/model.h"

namespace headlight {

enum class Stage : std::uint8_t {
  Embeddings,
  Queries,
  Keys,
  Values,
  Scores,
  Scaled,
  Masked,
  Weights,
  Dropped,
  Context,
  Concat,
  Output,
};
inline constexpr std::size_t kStageCount = 12;

enum class StageColumns { DIn, DHead, Tokens, DOut };

// A set of stages, one bit each.
using StageSet = std::uint16_t;
constexpr StageSet stage_bit(Stage stage) {
  return static_cast<StageSet>(1u << static_cast<unsigned>(stage));
}
inline constexpr StageSet kAllStages = (1u << kStageCount) - 1;

struct StageInfo {
  Stage stage;
  std::string_view name;     // in file names, on the command line, in `compute` output
  std::string_view symbol;   // on screen: "Q", "ω", "α"
  std::string_view formula;  // on screen: "Q Kᵀ"
  bool per_head;             // B x H x T x columns, else B x T x columns
  StageColumns columns;
  bool is_signed;  // diverging colours about zero; else sequential
  StageSet needs;  // the stages it is computed from
};

const std::array<StageInfo, kStageCount>& stage_table();
const StageInfo& stage_info(Stage stage);
std::optional<Stage> stage_from_name(std::string_view name);

// The stage that is made with the parameter: `queries` with W_query.
Stage projected_stage(Parameter parameter);

// Every stage that depends on one of `changed`, those included.
StageSet with_dependents(StageSet changed);

// Shape of one matrix of the stage: T x columns.
Index stage_columns(const Model& model, Stage stage);
// Number of matrices per sequence: H or 1.
Index stage_heads(const Model& model, Stage stage);
// Whether cells of the stage can be masked or dropped.
inline bool shows_marks(Stage stage) {
  return stage == Stage::Masked || stage == Stage::Weights || stage == Stage::Dropped;
}
inline bool is_square(Stage stage) {
  return stage_info(stage).columns == StageColumns::Tokens;
}

// One number of a stage. Stages without heads have head 0.
struct CellAddress {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0, row = 0, column = 0;
  bool operator==(const CellAddress&) const = default;
};

bool address_exists(const Model& model, const CellAddress& cell);

}  // namespace headlight
