// The stages with one row per token: queries, keys and values, computed from the embeddings before the T x T
// stages; concat and output after them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/attention/change_scope.h"
#include "engine/attention/kernels.h"
#include "engine/attention/stage_store.h"
#include "engine/views/span.h"

namespace headlight {

class TokenStages {
 public:
  // `store` must outlive this object.
  explicit TokenStages(StageStore& store) : store_(&store) {}

  // Refreshes those of queries, keys, values and their rotated forms that are stale.
  void refresh_inputs(StageSet stale);
  // Refreshes only the rows, or the head, that a change affects. Precondition: everything else is fresh.
  void refresh_inputs(const ChangeScope& part);

  // Joins the heads from context. Marks the rows of output that this makes stale.
  void refresh_concat();
  void refresh_concat(const ChangeScope& part);  // only the affected rows

  void note_output();  // marks all rows of `output` as stale
  // Computes the stale rows.
  void refresh_output();

 private:
  const Matrix& source_of(Parameter parameter, Index sequence) const;
  // Computes rows of the queries, keys and values in the set, for one sequence and all its heads at once.
  // changed: nullopt for all rows.
  void project_rows(StageSet stages, Index sequence, std::optional<Span> changed);
  void project_head(const HeadChange& change);
  // Rotary positions: the cos/sin tables, and applying them to queries and keys.
  void prepare_rotations();
  void apply_rope(StageSet stages, Index sequence, std::optional<Span> changed);
  void apply_rope_to_head(Stage stage, Index sequence, Index head, std::optional<Span> changed);
  void overwrite_inputs(StageSet stages, Index sequence);
  void join_heads(Index sequence, Index first_row);

  StageStore* store_;
  Rotation query_rotation_, key_rotation_;
  Position rotated_as_;                   // the settings of the tables
  std::array<Index, 3> rotated_shape_{};  // the tables' rotary dims, Tq and Tk
  std::vector<Index> output_from_;        // by sequence: the first row of `output` that is stale
};

}  // namespace headlight
