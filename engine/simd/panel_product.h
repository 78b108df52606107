// Products with packed panels that stream from memory. Rounding as product.h says.
#pragma once

#include "engine/simd/product.h"

namespace headlight {

// Panels whose numbers are as they are stored in a file: half the memory where those take two bytes.
struct StoredPanels {
  const char* data = nullptr;
  StoredType type = StoredType::F32;
  Index depth = 0, columns = 0;
};

// The bytes of the panels of so many outputs.
std::size_t panel_bytes(StoredType type, Index depth, Index columns,
                        InstructionSet set = best_instruction_set());
// Packs w as such panels. `to`: aligned as its numbers. Runs on the calling thread alone.
void pack_stored_panels(const StoredFactor& w, char* to, InstructionSet set = best_instruction_set());

// y = x w. packed: x in packed form; panels: of w's y.cols() outputs, each number of which is read once from
// memory. Runs on the calling thread alone.
void multiply_panels(const PackedRows& packed, const StoredPanels& panels, MatrixOut y, Workspace& workspace,
                     InstructionSet set = best_instruction_set());

}  // namespace headlight
