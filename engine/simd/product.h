// Fast products of float32 matrices. The order and the rounding of the sums depend on the shapes and on the
// instruction set: results agree with a plain loop within float32 rounding, not to the last bit.
#pragma once

#include "engine/core/matrix.h"
#include "engine/simd/instruction_set.h"
#include "engine/simd/stored_factor.h"
#include "engine/simd/workspace.h"

namespace headlight {

// c = a b. a: m x k; b: k x n; c: m x n, which must not overlap a or b. Runs on the calling thread alone.
void multiply(const MatrixRef& a, const MatrixRef& b, MatrixOut c, Workspace& workspace);
// c = a b^T. b: n x k.
void multiply_transposed(const MatrixRef& a, const MatrixRef& b, MatrixOut c, Workspace& workspace);

// The right factor of a product.
struct RightFactor {
  const MatrixRef& matrix;
  bool transposed = false;
};

struct LeftFactor {
  const MatrixRef& matrix;
  bool transposed = false;
};

// c += a b, with blocks of the rows of c on several threads if there is enough work.
void add_product(const LeftFactor& a, const RightFactor& b, MatrixOut c, Workspace& workspace);

// A right factor in packed form in memory of its owner: panels of tile_columns() columns, one after the
// other, each row after row and padded with zeros.
struct Panels {
  const float* numbers = nullptr;
  Index depth = 0, columns = 0;
};

// A left factor in packed form, for use with several right factors or strips of one.
class PackedRows {
 public:
  explicit PackedRows(Workspace& workspace, InstructionSet set = best_instruction_set())
      : set_(set), tiles_(workspace) {}
  // Packs another left factor and reuses the memory if it is large enough. Runs on the calling thread alone,
  // or on several threads if the matrix is large enough.
  enum class Threads { One, Several };
  void take(const MatrixRef& a, Threads threads);
  // Packs the transpose of `a`, on the calling thread alone.
  void take_transposed(const MatrixRef& a);

 private:
  friend class PanelProduct;
  friend class StoredProduct;
  friend void multiply_tiles(const PackedRows& a, const Panels& b, MatrixOut c, bool add);
  static constexpr Index kDepth = 768;  // steps of a block
  // Offset in tiles_ of the block at `row`, a multiple of tile_rows, and `begin`, a multiple of kDepth.
  Index tile_at(Index row, Index begin) const;

  InstructionSet set_;
  Index depth_ = 0;
  Scratch tiles_;
};

// How many parts of that size hold `count`.
constexpr Index parts_of(Index count, Index size) {
  return (count + size - 1) / size;
}

// The number of columns that are multiplied at once; parts of a right factor should have a multiple of it.
Index tile_columns(InstructionSet set = best_instruction_set());
// Numbers of a right factor that stay in the processor's cache while all rows of a left factor meet them:
// half a megabyte.
constexpr Index kStripNumbers = 1 << 17;
// The number of columns of a right factor, a multiple of tile_columns(), that have about kStripNumbers.
Index strip_columns(Index depth, InstructionSet set = best_instruction_set());
// The number of panels of a right factor.
Index panel_count(Index columns, InstructionSet set = best_instruction_set());
// Packs w, widened, as panels: panel_count() x w.inputs x tile_columns() numbers. Runs on the calling thread
// alone.
void pack_panels(const StoredFactor& w, float* to, InstructionSet set = best_instruction_set());
// c = a b, or c += a b; `a` may have fewer columns than b has rows, of which it then takes the first, and c
// may have fewer columns than b. Runs on the calling thread alone.
void multiply_tiles(const PackedRows& a, const Panels& b, MatrixOut c, bool add);

// A right factor in packed form, for use with several left factors, or with row blocks of one on several
// threads. Packing uses several threads if the matrix is large enough. A left factor may have fewer columns
// than the right one has rows, of which it then takes the first; a product may have fewer columns.
class PackedFactor {
 public:
  explicit PackedFactor(Workspace& workspace, InstructionSet set = best_instruction_set())
      : set_(set), panels_(workspace) {}
  // Packs another right factor and reuses the memory if it is large enough.
  void take(const RightFactor& b);
  void take(const StoredFactor& b);  // widened
  // The number of rows of a left factor that are multiplied as one block. Work for several threads should be
  // cut into multiples of it.
  Index block_rows() const;
  // c = a b. Runs on the calling thread alone.
  void multiply_by(const MatrixRef& a, MatrixOut c) const;
  void multiply_by(const PackedRows& a, MatrixOut c) const;
  // c += a b. Runs on the calling thread alone.
  void add_multiplied_by(const PackedRows& a, MatrixOut c) const;
  void add_multiplied_by(const MatrixRef& a, MatrixOut c) const;

 private:
  Panels panels() const { return {panels_.data(), depth_, columns_}; }

  InstructionSet set_;
  Index depth_ = 0, columns_ = 0;
  Scratch panels_;
};

// c = a b with one of instruction_sets(), always by packed blocks, however small the matrices are.
void multiply_by_blocks(InstructionSet set, const MatrixRef& a, const RightFactor& b, MatrixOut c,
                        Workspace& workspace);

// Whether packing the factors costs more than it saves.
bool small_product(Index rows, Index columns, Index depth);

}  // namespace headlight
