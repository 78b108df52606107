// Stages of which numbers are overwritten (Model::overwritten).
#pragma once

#include "engine/model/stage.h"

namespace headlight {

// Queries and keys - with rotary positions what has been turned -, values, weights and context.
bool may_be_overwritten(const Model& model, Stage stage);
// Whether anything of the stage is, or of one of its matrices.
bool is_overwritten(const Model& model, Stage stage);
bool is_overwritten(const Model& model, Stage stage, Index sequence, Index head);
bool is_overwritten(const Model& model, const CellAddress& cell);

// Writes into `rows`, which are those of one matrix of the stage from row `first` on, what is overwritten of
// them.
void overwrite(const Model& model, Stage stage, Index sequence, Index head, Index first, MatrixOut rows);

}  // namespace headlight
