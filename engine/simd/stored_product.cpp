#include "engine/simd/stored_product.h"

#include <algorithm>
#include <bit>

#include "engine/simd/stored_loops.h"

namespace headlight {
namespace {

Index parts_of(Index count, Index size) {
  return (count + size - 1) / size;
}

}  // namespace

std::ptrdiff_t stored_bytes(StoredType type) {
  return type == StoredType::F32 ? 4 : 2;
}

StoredFactor outputs_of(const StoredFactor& w, std::ptrdiff_t first, std::ptrdiff_t count) {
  StoredFactor part = w;
  part.data += first * (w.transposed ? w.stride : 1) * stored_bytes(w.type);
  part.outputs = count;
  return part;
}

// A product with so few rows that reading the weights from memory takes about as long as multiplying them: a
// piece of a panel is packed and multiplied while the next one is on its way from memory.
class StoredProduct {
 public:
  StoredProduct(const PackedRows& x, Index rows, const StoredFactor& w, Workspace& workspace)
      : x_(x),
        loops_(stored_loops(x.set_)),
        height_(vector_loops(x.set_).tile_rows),
        width_(vector_loops(x.set_).tile_columns),
        rows_(rows),
        w_(w),
        piece_(workspace, kPieceDepth * width_) {}

  void multiply(MatrixOut y) {
    for (Index column = 0; column < w_.outputs; column += width_)
      for (Index begin = 0; begin < w_.inputs; begin += kPieceDepth) {
        loops_.pack(piece_at(column, begin), piece_.data());
        const Index end = begin + kPieceDepth;
        multiply_piece(column, begin, end < w_.inputs ? piece_at(column, end) : piece_at(column + width_, 0),
                       y);
      }
  }

 private:
  static constexpr Index kPieceDepth = 256;
  static constexpr Index kLine = 64;  // bytes of a cache line
  static_assert(PackedRows::kDepth % kPieceDepth == 0);

  // Inputs [begin, begin + kPieceDepth) of the panel from `column` on, as far as there are such.
  StoredFactor piece_at(Index column, Index begin) const {
    StoredFactor piece = outputs_of(w_, column, std::clamp<Index>(w_.outputs - column, 0, width_));
    piece.data += begin * (w_.transposed ? 1 : w_.stride) * stored_bytes(w_.type);
    piece.inputs = std::min(kPieceDepth, w_.inputs - begin);
    return piece;
  }

  // What the loops over one piece request of the next one, evenly over `tiles` of them.
  Upcoming upcoming_of(const StoredFactor& next, Index tiles) const {
    const Index rows = next.transposed ? width_ : kPieceDepth,
                numbers = next.transposed ? kPieceDepth : width_;
    const Index lines = rows * parts_of(numbers * stored_bytes(next.type), kLine),
                steps = tiles * kPieceDepth;
    Upcoming upcoming;
    upcoming.data = next.data;
    upcoming.stride = next.stride * stored_bytes(next.type);
    upcoming.rows_log2 = std::bit_width(static_cast<std::size_t>(rows)) - 1;
    upcoming.end = next.outputs > 0 ? lines : 0;
    upcoming.lines = static_cast<int>(parts_of(lines, steps));
    upcoming.interval =
        static_cast<int>(std::bit_floor(static_cast<std::size_t>(std::max<Index>(1, steps / lines))));
    return upcoming;
  }

  void multiply_piece(Index column, Index begin, const StoredFactor& next, MatrixOut y) const {
    const Index steps = std::min(kPieceDepth, w_.inputs - begin),
                block = begin / PackedRows::kDepth * PackedRows::kDepth;
    Upcoming upcoming = upcoming_of(next, parts_of(rows_, height_));
    const Index requested = parts_of(steps, upcoming.interval) * upcoming.lines;  // by each tile
    for (Index row = 0; row < rows_; row += height_) {
      loops_.multiply(x_.tiles_.data() + x_.tile_at(row, block) + (begin - block) * height_, piece_.data(),
                      steps,
                      {y.data() + row * y.outerStride() + column, y.outerStride(),
                       std::min(height_, rows_ - row), std::min(width_, w_.outputs - column), begin > 0},
                      upcoming);
      upcoming.first += requested;
    }
  }

  const PackedRows& x_;
  const StoredLoops& loops_;
  Index height_, width_;  // of a tile
  Index rows_;
  StoredFactor w_;
  Scratch piece_;
};

void multiply_stored(const MatrixRef& x, const PackedRows& packed, const StoredFactor& w, MatrixOut y,
                     Workspace& workspace, InstructionSet set) {
  constexpr Index kReadingRows = 160;       // up to so many, reading the weights from memory matters
  constexpr Index kStripNumbers = 1 << 17;  // half a megabyte, which all rows meet in the cache
  if (takes_few_rows(x.rows()))
    return stored_loops(set).multiply_few({x.data(), x.outerStride(), y.data(), y.outerStride(), x.rows()},
                                          w);
  if (w.inputs == 0) {
    y.setZero();
    return;
  }
  if (x.rows() <= kReadingRows) return StoredProduct(packed, x.rows(), w, workspace).multiply(y);
  const Index width = tile_columns(set), strip = std::max<Index>(1, kStripNumbers / w.inputs / width) * width;
  PackedFactor factor(workspace, set);
  for (Index first = 0; first < w.outputs; first += strip) {
    const Index count = std::min<Index>(strip, w.outputs - first);
    factor.take(outputs_of(w, first, count));
    factor.multiply_by(packed, y.middleCols(first, count));
  }
}

}  // namespace headlight
