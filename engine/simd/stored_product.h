// Products with weights as they are stored, which stream from memory. Rounding as product.h says.
#pragma once

#include "engine/simd/product.h"
#include "engine/simd/stored_factor.h"

namespace headlight {

// y = x w with w as it is stored, each number of which is read once. packed: x in packed form, which must
// have been taken unless x has few rows (see takes_few_rows). Runs on the calling thread alone.
void multiply_stored(const MatrixRef& x, const PackedRows& packed, const StoredFactor& w, MatrixOut y,
                     Workspace& workspace, InstructionSet set = best_instruction_set());
inline bool takes_few_rows(Index rows) {
  return rows <= kMostFewRows;
}

}  // namespace headlight
