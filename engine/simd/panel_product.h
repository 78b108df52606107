// Products with packed panels that stream from memory. Rounding as product.h says.
#pragma once

#include "engine/simd/product.h"

namespace headlight {

// y = x w. packed: x in packed form; panels: of w's y.cols() outputs, each number of which is read once from
// memory. Runs on the calling thread alone.
void multiply_panels(const PackedRows& packed, const Panels& panels, MatrixOut y,
                     InstructionSet set = best_instruction_set());

}  // namespace headlight
