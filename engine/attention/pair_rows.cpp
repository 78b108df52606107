#include "engine/attention/pair_rows.h"

namespace headlight {
namespace {

void compute_weights(const Layer& layer, const PairRows& at, const OpenCells& open, const RowsOf& rows_of) {
  MatrixOut weights = rows_of(Stage::Weights);
  if (layer.attention.projection == Projection::Weights)
    weights = layer.given_weights.of(at.sequence, at.head).middleRows(at.first, weights.rows());
  else
    normalize_rows(rows_of(Stage::Masked), layer.attention.normalization, open, at.first, weights,
                   layer.sink_of(at.head));
}

}  // namespace

void compute_pair_rows(const Layer& layer, const PairRows& at, const OpenCells& open, const MatrixRef& q,
                       const MatrixRef& k, const RowsOf& rows_of, Workspace& workspace) {
  Stage before = Stage::Scores;
  const auto compute = [&](Stage stage) {
    // No `default`, so that the compiler warns about a missing stage.
    switch (stage) {
      case Stage::Scores:
        return score(q, k, rows_of(stage), workspace);
      case Stage::Scaled:
        return scale(rows_of(before), layer.scale_factor(), rows_of(stage));
      case Stage::Capped:
        return cap_scores(rows_of(before), layer.attention.softcap, rows_of(stage));
      case Stage::Biased:
        return add_bias(rows_of(before), layer, at.sequence, at.head, at.first, rows_of(stage));
      case Stage::Masked:
        return apply_mask(rows_of(before), open, at.first, rows_of(stage));
      case Stage::Weights:
        return compute_weights(layer, at, open, rows_of);
      case Stage::Embeddings:
      case Stage::Queries:
      case Stage::Keys:
      case Stage::Values:
      case Stage::RotatedQueries:
      case Stage::RotatedKeys:
      case Stage::Dropped:
      case Stage::Context:
      case Stage::Concat:
      case Stage::Output:
        return;
    }
  };
  for (const StageInfo& info : stage_table()) {
    if (!is_pair(info.stage) || (at.existing & stage_bit(info.stage)) == 0) continue;
    if ((at.stages & stage_bit(info.stage)) != 0) compute(info.stage);
    before = info.stage;
  }
}

}  // namespace headlight
