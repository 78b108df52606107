// The stages of one attention layer: their names, shapes and dependencies. This is the only dependency table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/layer/layer.h"

namespace headlight {

enum class Stage : std::uint8_t {
  Embeddings,
  Queries,
  Keys,
  Values,
  RotatedQueries,
  RotatedKeys,
  Scores,
  Scaled,
  Capped,
  Biased,
  Masked,
  Weights,
  Dropped,
  Context,
  Concat,
  Output,
};
inline constexpr std::size_t kStageCount = 16;
static_assert(static_cast<std::size_t>(Stage::Output) + 1 == kStageCount);

enum class StageRows { Queries, Keys };                                // query tokens, or key tokens
enum class StageColumns { DIn, DKey, DValue, Tokens, DConcat, DOut };  // Tokens: key tokens
inline constexpr std::size_t kStageColumnsCount = 6;
static_assert(static_cast<std::size_t>(StageColumns::DOut) + 1 == kStageColumnsCount);
enum class StageHeads { None, Queries, Keys };  // H, or G

// A set of stages, one bit each.
using StageSet = std::uint32_t;
constexpr StageSet stage_bit(Stage stage) {
  return static_cast<StageSet>(1u << static_cast<unsigned>(stage));
}
inline constexpr StageSet kAllStages = (1u << kStageCount) - 1;

struct StageInfo {
  Stage stage;
  std::string_view name;    // in file names, on the command line, in `compute` output
  std::string_view symbol;  // on screen: "Q", "ω", "α"
  bool per_head;            // B x heads x rows x columns, else B x rows x columns
  StageColumns columns;
  bool is_signed;  // diverging colours around zero, else sequential
  StageSet needs;  // the stages it may be computed from; those that do not exist are skipped
  StageHeads heads = per_head ? StageHeads::Queries : StageHeads::None;
  StageRows rows = StageRows::Queries;
};

const std::array<StageInfo, kStageCount>& stage_table();
const StageInfo& stage_info(Stage stage);
std::optional<Stage> stage_from_name(std::string_view name);

// The stage that the parameter's layer computes: Queries for Query.
Stage projected_stage(Parameter parameter);

// The parameter whose layer computes the stage; none if no layer does, or the layer does not use it.
std::optional<Parameter> parameter_of(Stage stage);
std::optional<Parameter> parameter_of(const Layer& layer, Stage stage);

// `changed` and every stage that depends on one of them.
StageSet with_dependents(StageSet changed);

// The stages that the layer has. Rotated, capped and biased stages exist only if their setting is used; the
// stages before given weights do not exist, nor those that need missing values.
StageSet existing_stages(const Layer& layer);
bool stage_exists(const Layer& layer, Stage stage);
std::vector<Stage> stages_in_use(const Layer& layer);  // in the order of computation
// Why a stage does not exist, as a sentence without a full stop; "" if it exists.
std::string why_no_stage(const Layer& layer, Stage stage);
// The nearest earlier stage that exists (biased, capped or scaled for masked). Precondition: there is one.
Stage stage_before(const Layer& layer, Stage stage);

// Shape of one matrix of the stage: rows x columns.
Index stage_rows(const Layer& layer, Stage stage);
Index stage_columns(const Layer& layer, Stage stage);
// Number of matrices per sequence: H, G or 1.
Index stage_heads(const Layer& layer, Stage stage);
// The index of the stage's matrix for a head of queries.
Index stage_head(const Layer& layer, Stage stage, Index head);
// The labels of the stage's rows.
const std::vector<std::string>& row_labels(const Layer& layer, Stage stage);
// Whether cells of the stage can be masked or dropped.
inline bool shows_marks(Stage stage) {
  return stage == Stage::Masked || stage == Stage::Weights || stage == Stage::Dropped;
}
// Whether the stage has one number per pair of query and key.
inline bool is_pair(Stage stage) {
  return stage >= Stage::Scores && stage <= Stage::Dropped;
}

// One number of a stage. Stages without heads have head 0.
struct CellAddress {
  Stage stage = Stage::Weights;
  Index sequence = 0, head = 0, row = 0, column = 0;
  bool operator==(const CellAddress&) const = default;
};

bool address_exists(const Layer& layer, const CellAddress& cell);

}  // namespace headlight
