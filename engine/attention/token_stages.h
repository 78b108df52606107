// The stages with a row for each token, made from the embeddings: queries, keys and values in front of those
// of pairs, concat and output behind them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/keeping/part_change.h"
#include "engine/keeping/stage_store.h"
#include "engine/kernels/kernels.h"
#include "engine/views/span.h"

namespace headlight {

class TokenStages {
 public:
  // The store must live as long.
  explicit TokenStages(StageStore& store) : store_(&store) {}

  // Those in front, as far as they are stale.
  void refresh_inputs(StageSet stale);
  // The same rows of those that a part reaches. Precondition: the others are fresh.
  void refresh_inputs(const PartChange& part);

  // From context. Notes which rows of output have changed by it.
  void refresh_concat();
  void refresh_concat(const PartChange& part);  // the rows that it reaches

  void note_output();  // all rows are stale
  // The stale rows.
  void refresh_output();

 private:
  const Matrix& source_of(Parameter parameter, Index sequence) const;
  // Rows of those of queries, keys and values that are in the set, of one sequence: of all its heads at once.
  // changed: none for all rows.
  void project_rows(StageSet stages, Index sequence, std::optional<Span> changed);
  void project_head(const HeadChange& change);
  // The same of those that are turned by position.
  void prepare_rotations();
  void turn_rows(StageSet stages, Index sequence, std::optional<Span> changed);
  void turn_head(Stage stage, Index sequence, Index head, std::optional<Span> changed);
  void overwrite_inputs(StageSet stages, Index sequence);
  void join_heads(Index sequence, Index first_row);

  StageStore* store_;
  Rotation query_rotation_, key_rotation_;
  Position rotated_as_;  // what they were made for, with dims, Tq and Tk
  std::array<Index, 3> rotated_shape_{};
  std::vector<Index> output_from_;  // by sequence: the first row of `output` that is stale
};

}  // namespace headlight
